/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class HeartbeatIntervalTest {
  private final Scene scene = new Scene(4);
  private final Map<String, Duty> duties = new HashMap<>();

  /** Keeps duties, so that a test sees when they want their next pass. */
  private final DutyRunner keeping =
      new DutyRunner() {
        @Override
        public RunningDuty start(Duty duty) {
          duties.put(duty.name(), duty);
          return new RunningDuty() {
            @Override
            public void nudge() {}

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

  private StepResult settledPass() {
    StepResult result = duties.get("lease").runOnce();
    for (int i = 0; i < 10 && result.done() > 0; i++) {
      result = duties.get("lease").runOnce();
    }
    return result;
  }

  private Posthorn.Builder builder(Duration lease, Duration heartbeat) {
    return Posthorn.inOneProcess(scene.store(), scene.transactions())
        .clock(scene.clock())
        .ticker(scene.clock().ticker())
        .dutyRunner(keeping)
        .handler("mailer", "t", String.class, (payload, delivery) -> {})
        .relay(r -> r.leaseDuration(lease).heartbeatInterval(heartbeat));
  }

  @Test
  void theNextHeartbeatIsNotWaitedForLongerThanItsInterval() {
    builder(Duration.ofMillis(900), Duration.ofMillis(200)).start();

    assertThat(settledPass().nextIn()).isEqualTo(Duration.ofMillis(200));
    scene.clock().advance(Duration.ofMillis(150));
    assertThat(settledPass().nextIn()).isEqualTo(Duration.ofMillis(50));
  }

  @Test
  void whoDiedIsExpelledAsSoonAsItsLeaseIsOver() {
    Duration lease = Duration.ofSeconds(9);
    RelayStore store = scene.store().relay(lease);
    RelayIdentity dead = store.join("dead", Map.of("mailer", Set.of("t")));
    store.take(dead, store.survey().partitions());
    scene.clock().advance(Duration.ofMillis(8_700));
    builder(lease, Duration.ofSeconds(2)).start();

    assertThat(settledPass().nextIn()).isEqualTo(Duration.ofMillis(301));
    scene.clock().advance(Duration.ofMillis(301));
    settledPass();

    assertThat(store.survey().partitions()).extracting(PartitionOwner::owner).doesNotContain(dead);
  }
}
