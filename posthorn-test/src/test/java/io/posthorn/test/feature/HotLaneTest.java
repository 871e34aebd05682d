/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many messages of one key wait in the table, and few of others. */
class HotLaneTest {
  private static final int HOT = 200;
  private static final int COLD = 20;
  private static final int WINDOW = 24;
  private static final Duration DELAY = Duration.ofSeconds(1);

  private final Scene scene = new Scene(8);
  private final List<String> received = new ArrayList<>();
  private final AtomicBoolean failing = new AtomicBoolean(true);

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void aLaneWithManyDueMessagesDoesNotStarveThoseOfOtherPartitions() { // issue 19
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(
                        options ->
                            options.windowMessages(WINDOW).retry(RetryPolicy.fixed(DELAY, 10)))
                    .handler("mailer", "t", String.class, (text, delivery) -> take(text)));
    for (int i = 0; i < HOT; i++) {
      relay.publish(Scene.message("t", "hot", "hot"));
    }
    for (int i = 0; i < COLD; i++) {
      relay.publish(Scene.message("t", "cold-" + i, "cold-" + i));
    }
    relay.drain();
    failing.set(false);
    scene.clock().advance(DELAY);

    relay.drain();

    assertThat(received).hasSize(HOT + COLD);
    for (int i = 0; i < COLD; i++) {
      assertThat(received.indexOf("cold-" + i)).as("cold-%d", i).isLessThan(HOT / 2);
    }
  }

  private void take(String text) {
    if (failing.get()) {
      throw new IllegalStateException("fails, as planned");
    }
    received.add(text);
  }
}
