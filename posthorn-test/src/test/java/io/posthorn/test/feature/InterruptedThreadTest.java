/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.test.StoreAssert;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that leaves its thread interrupted. hostile.md, D7. */
class InterruptedThreadTest {
  private final Scene scene = new Scene(1);
  private final List<String> interrupted = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private void handle(String text) {
    if (Thread.currentThread().isInterrupted()) {
      interrupted.add(text);
    }
    Thread.currentThread().interrupt();
  }

  @Test
  void theNextMessageDoesNotFindIt() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder -> builder.handler("h", "t", String.class, (text, delivery) -> handle(text)));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"), message("t", "l", "3"));
    relay.drain();

    assertThat(interrupted).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void norDoesTheNextBatch() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.batch("h", "t", String.class, 10, batch -> handle("batch"))));
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.publish(message("t", "k", "2"));
    relay.drain();

    assertThat(interrupted).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
