/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RollingDeploymentTest {
  private final Scene scene = new Scene(4);

  @AfterEach
  void stop() {
    scene.close();
  }

  private static Consumer<Posthorn.Builder> handlers(String... names) {
    return builder -> {
      for (String name : names) {
        builder.handler(name, "t", String.class, (payload, delivery) -> {});
      }
    };
  }

  private static void passTogether(Scene scene, SteppedRelay first, SteppedRelay second) {
    for (int i = 0; i < 3; i++) {
      scene.clock().advance(Duration.ofSeconds(1));
      first.drain();
      second.drain();
    }
  }

  @Test
  void aHandlerThatOnlyAnotherInstanceHasGetsItsMessageWhenThatInstanceOwnsThePartition() {
    SteppedRelay old = scene.relay("old", handlers("mailer"));
    old.drain();
    SteppedRelay fresh = scene.relay("fresh", handlers("mailer", "audit"));
    passTogether(scene, old, fresh);
    int owned = old.posthorn().relay().status().epochs().keySet().iterator().next();
    String key = keyIn(owned);

    old.publish(message("t", key, "1"), message("t", key, "2"));
    old.drain();

    assertThat(old.log().deliveredSeqs("mailer", key)).hasSize(2);
    assertThat(scene.rows().deferred())
        .extracting(row -> row.handler() + " " + row.reason() + " " + row.attempts())
        .containsExactly("audit WAITING 0", "audit WAITING 0");

    old.close();
    scene.clock().advance(Duration.ofSeconds(1));
    fresh.drain();

    assertThat(fresh.log().deliveredSeqs("audit", key)).hasSize(2).isSorted();
    assertThat(fresh.log().deliveredSeqs("mailer", key)).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMessageWithoutKeyIsKeptForTheOtherInstanceToo() {
    SteppedRelay old = scene.relay("old", handlers("mailer"));
    old.drain();
    SteppedRelay fresh = scene.relay("fresh", handlers("audit"));
    passTogether(scene, old, fresh);

    old.publish(message("t", null, "1"));
    old.drain();
    assertThat(old.log().deliveredSeqs("mailer", null)).hasSize(1);
    old.close();
    scene.clock().advance(Duration.ofSeconds(1));
    fresh.drain();

    assertThat(fresh.log().deliveredSeqs("audit", null)).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aHandOverRaisesTheEpochThatHandlersSee() {
    SteppedRelay old = scene.relay("old", handlers("mailer"));
    old.publish(message("t", "k", "1"));
    old.drain();
    old.close();
    SteppedRelay fresh = scene.relay("fresh", handlers("mailer"));
    fresh.publish(message("t", "k", "2"));
    fresh.drain();

    assertThat(old.log().delivered().get(0).epoch()).isEqualTo(1);
    assertThat(fresh.log().delivered().get(0).epoch()).isEqualTo(2);
  }

  /** Computed with zlib.crc32 of Python, modulo 4. */
  private static String keyIn(int partition) {
    return switch (partition) {
      case 0 -> "42";
      case 1 -> "k1";
      case 2 -> "k4";
      default -> "order-1";
    };
  }
}
