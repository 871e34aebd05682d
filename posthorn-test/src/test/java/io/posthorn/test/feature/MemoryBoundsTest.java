/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.RelayStatus;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a relay remembers depends on its window, not on what passes through it. */
class MemoryBoundsTest {
  private static final int WINDOW = 100;
  private static final int HANDLERS = 2;
  private static final int KEYS = 3_000;

  private final Scene scene = new Scene(4);
  private final Set<String> reached = new HashSet<>();
  private boolean away = true;

  @AfterEach
  void stop() {
    scene.close();
  }

  /** One handler's destination is down, while the other goes on. */
  private SteppedRelay relay() {
    return scene.relay(
        "a",
        builder ->
            builder
                .relay(options -> options.windowMessages(WINDOW).lateAfter(Duration.ofMillis(200)))
                .handler(
                    "down",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      if (away) {
                        throw new DestinationDownException("as planned", null);
                      }
                      reached.add(payload);
                    })
                .handler("up", "t", String.class, (payload, delivery) -> reached.add(payload)));
  }

  private static Message[] oneOfEachKey() {
    return IntStream.range(0, KEYS)
        .mapToObj(i -> message("t", "key-" + i, Integer.toString(i)))
        .toArray(Message[]::new);
  }

  @Test
  void whileAHandlerIsDownItsLanesAreNotRememberedBeyondTheWindow() { // issue 17, M4
    SteppedRelay relay = relay();
    List<Integer> lanes = new ArrayList<>();
    relay.publish(oneOfEachKey());

    for (int i = 0; i < 1_000 && reached.size() < KEYS; i++) {
      relay.steps().step("lease");
      relay.steps().step("read");
      lanes.add(status(relay).lanesInMemory());
      assertThat(status(relay).inMemory()).isLessThanOrEqualTo(WINDOW + HANDLERS);
      relay.steps().step("settle");
      scene.clock().advance(Duration.ofMillis(200));
    }

    assertThat(reached).as("what the other handler got").hasSize(KEYS);
    assertThat(lanes)
        .allMatch(count -> count <= HANDLERS * (WINDOW + HANDLERS))
        .anyMatch(count -> count > 0);
    reached.clear();
    away = false;
    relay.pass(Duration.ofSeconds(60));
    assertThat(reached).as("when it is back").hasSize(KEYS);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(status(relay).lanesInMemory()).as("at rest").isLessThanOrEqualTo(HANDLERS);
  }

  private static RelayStatus status(SteppedRelay relay) {
    return relay.posthorn().relay().status();
  }
}
