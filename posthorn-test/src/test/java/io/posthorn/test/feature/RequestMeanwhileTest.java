/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.Filter;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a relay is told while it is looking is not forgotten. */
class RequestMeanwhileTest {
  private final Scene scene = new Scene(1);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final List<String> got = new ArrayList<>();
  private boolean failing = true;

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void aDeadLetterThatIsRetriedDuringALookIsDeliveredAtOnce() {
    SteppedRelay relay =
        scene.relay(
            "a",
            store,
            builder ->
                builder
                    .relay(r -> r.retry(RetryPolicy.fixed(Duration.ofSeconds(1), 1)))
                    .handler("mailer", "t", String.class, (payload, delivery) -> handle(payload)));
    relay.publish(message("t", "k", "m1"));
    relay.drain();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
    failing = false;

    store.after(Step.READ_LANES, () -> retryAll(relay.posthorn().admin()));
    relay.pass(Duration.ofSeconds(1)); // it is time to look
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    relay.drain(); // at once

    assertThat(got).containsExactly("m1");
  }

  private void handle(String payload) {
    if (failing) {
      throw new IllegalStateException("not now");
    }
    got.add(payload);
  }

  private static void retryAll(Admin admin) {
    admin
        .deadLetters()
        .retry(
            admin.deadLetters().page(Filter.all(), null, 10).items().stream()
                .map(DeadLetter::id)
                .toList());
  }
}
