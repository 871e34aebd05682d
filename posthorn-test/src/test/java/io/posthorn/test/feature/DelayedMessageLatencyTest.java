/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** How late delayed messages are, on a relay that runs each duty exactly when it asked for it. */
class DelayedMessageLatencyTest {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration BUSY_POLL = Duration.ofMillis(50);

  private final Scene scene = new Scene(4);
  private final Timeline timeline = new Timeline();

  private final class Timeline implements DutyRunner {
    private final List<Planned> duties = new ArrayList<>();

    private final class Planned implements RunningDuty {
      private final Duty duty;
      private Instant next = scene.clock().instant();

      Planned(Duty duty) {
        this.duty = duty;
      }

      @Override
      public void nudge() {
        next = scene.clock().instant();
      }

      @Override
      public boolean stop(Duration timeout) {
        return duties.remove(this);
      }
    }

    @Override
    public RunningDuty start(Duty duty) {
      Planned planned = new Planned(duty);
      duties.add(planned);
      return planned;
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration timeout) {
      return condition.getAsBoolean();
    }

    void runUntil(Instant end) {
      while (scene.clock().instant().isBefore(end)) {
        Planned first =
            duties.stream().min(Comparator.comparing((Planned planned) -> planned.next)).get();
        Duration wait = Duration.between(scene.clock().instant(), first.next);
        if (wait.compareTo(Duration.ZERO) > 0) {
          scene.clock().advance(wait);
        }
        Duration nextIn = first.duty.runOnce().nextIn();
        first.next = scene.clock().instant().plus(nextIn);
      }
    }
  }

  @Test
  void anIdleRelayIsLateByOnePollAtTheMost() {
    List<Duration> late = new ArrayList<>();
    try (Posthorn posthorn =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .clock(scene.clock())
            .ticker(scene.clock().ticker())
            .dutyRunner(timeline)
            .relay(r -> r.executor(Runnable::run).pollInterval(POLL).busyPollInterval(BUSY_POLL))
            .handler(
                "h",
                "t",
                String.class,
                (payload, delivery) ->
                    late.add(Duration.between(Instant.parse(payload), scene.clock().instant())))
            .start()) {
      Instant begun = scene.clock().instant();
      int count = 40;
      for (int i = 0; i < count; i++) {
        // so that they meet the waits after work, which grow, at different points
        Instant due = begun.plusMillis(1_370L * i);
        scene.publish(posthorn, Message.of("t").payload(due.toString()).deliverAt(due).build());
      }
      timeline.runUntil(begun.plusMillis(1_370L * count).plusSeconds(2));

      assertThat(late)
          .hasSize(count)
          .allMatch(lateness -> !lateness.isNegative())
          .allMatch(lateness -> lateness.compareTo(POLL.plus(BUSY_POLL)) <= 0);
    }
  }
}
