/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** One worker is enough for a fast handler, until it turns out to be blocked. */
class HeldBackWorkersTest {
  private static final Duration STALLED = Duration.ofMillis(2);

  private final Scene scene = new Scene(1);
  private final Map<String, Duty> duties = new HashMap<>();
  private final List<String> nudged = new ArrayList<>();
  private final Deque<Runnable> workers = new ArrayDeque<>(); // started, and waiting for a thread

  private final DutyRunner byHand =
      new DutyRunner() {
        @Override
        public RunningDuty start(Duty duty) {
          duties.put(duty.name(), duty);
          return new RunningDuty() {
            @Override
            public void nudge() {
              nudged.add(duty.name());
            }

            @Override
            public boolean stop(Duration timeout) {
              return true;
            }
          };
        }

        @Override
        public boolean await(BooleanSupplier condition, Duration timeout) {
          return condition.getAsBoolean();
        }
      };

  private final Posthorn posthorn =
      Posthorn.inOneProcess(scene.store(), scene.transactions())
          .clock(scene.clock())
          .ticker(scene.clock().ticker())
          .dutyRunner(byHand)
          .handler(
              "mailer",
              "t",
              String.class,
              (payload, delivery) -> scene.clock().advance(Duration.ofNanos(1_000)))
          .relay(relay -> relay.executor(workers::add))
          .start();

  private Duty.StepResult pass(String duty) {
    return duties.get(duty).runOnce();
  }

  private void read(String... keys) {
    for (String key : keys) {
      scene.publish(posthorn, Scene.message("t", key, "{}"));
    }
    for (int i = 0; i < 5; i++) {
      pass("read");
    }
  }

  /** The only worker waits for its thread, so it takes nothing, and there are two messages. */
  private void holdBack() {
    for (int i = 0; i < 5; i++) {
      pass("lease");
    }
    read("first");
    while (!workers.isEmpty()) {
      workers.remove().run(); // then it is known how long a delivery takes
    }
    nudged.clear();
    read("a", "b");
    assertThat(workers).hasSize(1);
  }

  @Test
  void theWatchdogIsNudgedOnce() {
    holdBack();
    assertThat(nudged).containsOnlyOnce("watch");
  }

  @Test
  void theWatchdogWaitsBetweenOneLookAndTheNext() {
    holdBack();
    nudged.clear();
    for (int i = 0; i < 3; i++) {
      assertThat(pass("watch").nextIn()).isEqualTo(STALLED);
    }
    assertThat(workers).hasSize(1);
    assertThat(nudged).as("it would look again at once").doesNotContain("watch");
  }

  @Test
  void anotherWorkerIsStartedOnceTheFirstIsStalled() {
    holdBack();
    pass("watch");
    scene.clock().advance(STALLED);
    pass("watch");
    assertThat(workers).hasSize(2);
    assertThat(pass("watch").nextIn()).as("nothing is held back now").isGreaterThan(STALLED);
  }
}
