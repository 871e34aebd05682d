/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.StepRunner;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PurgeTest {
  private final Scene scene = new Scene(4);
  private final StepRunner steps = new StepRunner();

  private Posthorn publisher(Duration purgeAfter) {
    return Posthorn.publishOnly(scene.store(), scene.transactions())
        .clock(scene.clock())
        .dutyRunner(steps)
        .publish(p -> p.purgeAfter(purgeAfter))
        .start();
  }

  @Test
  void messagesForChangeDataCaptureAreDeletedByAge() {
    try (Posthorn publisher = publisher(Duration.ofHours(1))) {
      scene.publish(publisher, message("old", "k", "1"), message("old", "l", "2"));
      scene.clock().advance(Duration.ofHours(1));
      scene.publish(publisher, message("new", "k", "3"));
      steps.drain();
      assertThat(scene.rows().ready()).as("not older than an hour yet").hasSize(3);

      scene.clock().advance(Duration.ofMillis(1));
      steps.drain();

      assertThat(scene.rows().ready()).extracting(StoredRows.Ready::type).containsExactly("new");
    }
  }

  @Test
  void withoutPurgeNothingIsDeleted() {
    try (Posthorn publisher =
        Posthorn.publishOnly(scene.store(), scene.transactions()).dutyRunner(steps).start()) {
      scene.publish(publisher, message("old", "k", "1"));
      scene.clock().advance(Duration.ofDays(1000));
      steps.drain();

      assertThat(scene.rows().ready()).hasSize(1);
    }
  }

  @Test
  void aProcessThatOnlyPublishesDeletesOldIdempotencyKeys() {
    List<String> purged = new ArrayList<>();
    RelayListener listener =
        new RelayListener() {
          @Override
          public void purged(String what, int rows) {
            purged.add(rows + " " + what);
          }
        };
    try (Posthorn publisher =
        Posthorn.publishOnly(scene.store(), scene.transactions())
            .clock(scene.clock())
            .dutyRunner(steps)
            .listener(listener)
            .publish(options -> options.idempotencyRetention(Duration.ofDays(1)))
            .start()) {
      scene.publish(publisher, Message.of("t").idempotencyKey("first").build());
      scene.clock().advance(Duration.ofHours(13));
      scene.publish(publisher, Message.of("t").idempotencyKey("second").build());
      steps.drain();
      assertThat(purged).isEmpty();

      scene.clock().advance(Duration.ofHours(12));
      steps.drain();

      assertThat(purged).containsExactly("1 idempotency keys");
      assertThat(scene.rows().ready()).as("messages stay").hasSize(2);
    }
  }
}
