/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.RelayIdentity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LeaseClockTest {
  private static final RelayIdentity LIFE = new RelayIdentity("a", 1);
  private static final Duration VALID = Duration.ofSeconds(27); // nine tenths of the lease

  private long nanos = Duration.ofDays(3).toNanos(); // tickers begin anywhere
  private Instant wall = Instant.parse("2026-03-29T00:59:30Z");
  private final LeaseClock lease = new LeaseClock(() -> nanos, new Wall(), Duration.ofSeconds(30));

  private void pass(Duration time) {
    nanos += time.toNanos();
    wall = wall.plus(time);
  }

  @Test
  void withoutAHeartbeatThereIsNoLease() {
    assertThat(lease.valid()).isFalse();
    assertThat(lease.validFor(LIFE, nanos)).isFalse();
    assertThat(lease.untilOlderThan(Duration.ofSeconds(5))).isZero();
  }

  @Test
  void aLeaseRunsFromBeforeTheHeartbeatAndEndsATenthEarly() {
    LeaseClock.Mark before = lease.mark();
    pass(Duration.ofSeconds(2)); // the heartbeat is slow
    lease.renew(LIFE, before);

    pass(VALID.minusSeconds(2).minusMillis(1));
    assertThat(lease.valid()).isTrue();
    assertThat(lease.validFor(LIFE, nanos)).isTrue();
    pass(Duration.ofMillis(1));
    assertThat(lease.valid()).isFalse();
    assertThat(lease.validFor(LIFE, nanos)).isFalse();
  }

  @Test
  void elapsedTimeAloneEndsIt() {
    lease.renew(LIFE, lease.mark());
    nanos += VALID.toNanos() - 1;
    assertThat(lease.valid()).isTrue();
    nanos += 1;
    assertThat(lease.valid()).isFalse();
  }

  @Test
  void theWallClockAloneEndsItSinceASuspendedMachineStopsElapsedTime() {
    lease.renew(LIFE, lease.mark());
    wall = wall.plus(VALID).minusMillis(1);
    assertThat(lease.valid()).isTrue();
    wall = wall.plusMillis(1);
    assertThat(lease.valid()).isFalse();
  }

  @Test
  void theLeaseOfAnotherLifeDoesNotCount() {
    lease.renew(LIFE, lease.mark());
    assertThat(lease.validFor(new RelayIdentity("a", 2), nanos)).isFalse();
  }

  @Test
  void anExpelledRelayHasNone() {
    lease.renew(LIFE, lease.mark());
    lease.end();
    assertThat(lease.valid()).isFalse();
    assertThat(lease.untilOlderThan(Duration.ofSeconds(5))).isZero();
  }

  @Test
  void theNextHeartbeatIsDueAnIntervalAfterTheLast() {
    lease.renew(LIFE, lease.mark());
    pass(Duration.ofSeconds(2));
    assertThat(lease.untilOlderThan(Duration.ofSeconds(5))).isEqualTo(Duration.ofSeconds(3));
    pass(Duration.ofSeconds(4));
    assertThat(lease.untilOlderThan(Duration.ofSeconds(5))).isZero();
  }

  private final class Wall extends Clock {
    @Override
    public Instant instant() {
      return wall;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
