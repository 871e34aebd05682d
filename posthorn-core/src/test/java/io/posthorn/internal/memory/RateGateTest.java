/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateGateTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private long now = Duration.ofDays(3).toNanos();

  private RateGate gate(int deliveries, Duration per) {
    return new RateGate(new HandlerSpec.RateLimit(deliveries, per), now);
  }

  @Test
  void aTenthMayBeginAtOnceAndTheRestIsSpread() {
    RateGate gate = gate(50, Duration.ofSeconds(1));
    assertThat(gate.allowed(now)).isEqualTo(5);
    gate.taken(5);
    assertThat(gate.allowed(now)).isZero();
    assertThat(gate.nanosUntilNext(now)).isEqualTo(SECOND / 50);
    now += SECOND / 50;
    assertThat(gate.allowed(now)).isEqualTo(1);
    assertThat(gate.nanosUntilNext(now)).isZero();
    now += SECOND / 50;
    assertThat(gate.allowed(now)).isEqualTo(2);
  }

  @Test
  void whatIsNotUsedIsNotSavedUp() {
    RateGate gate = gate(50, Duration.ofSeconds(1));
    now += 100 * SECOND;
    assertThat(gate.allowed(now)).isEqualTo(5);
  }

  @Test
  void aLowRateLetsOneBeginAtATime() {
    RateGate gate = gate(2, Duration.ofSeconds(8));
    assertThat(gate.allowed(now)).isEqualTo(1);
    gate.taken(1);
    assertThat(gate.nanosUntilNext(now)).isEqualTo(4 * SECOND);
    now += SECOND;
    assertThat(gate.nanosUntilNext(now)).isEqualTo(3 * SECOND);
  }

  @Test
  void whatWasNotBegunMayBeginLater() {
    RateGate gate = gate(50, Duration.ofSeconds(1));
    gate.taken(5);
    gate.givenBack(2);
    assertThat(gate.allowed(now)).isEqualTo(2);
  }
}
