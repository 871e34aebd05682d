/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Ticker;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The relay's own view of its lease. It runs from before the heartbeat was sent, so it ends no
 * later than the database's, less a tenth for clocks that run at different speeds. The wall clock
 * is asked too: a suspended machine stops elapsed time, but not the wall clock.
 */
final class LeaseClock {
  private final Ticker ticker;
  private final Clock clock;
  private final long validNanos;
  private volatile @Nullable Renewal renewal;

  /** A moment, on both clocks. */
  record Mark(long nanos, long wallMillis) {}

  private record Renewal(RelayIdentity life, Mark mark) {}

  LeaseClock(Ticker ticker, Clock clock, Duration lease) {
    this.ticker = ticker;
    this.clock = clock;
    this.validNanos = lease.toNanos() / 10 * 9;
  }

  /** To be taken before a heartbeat is sent. */
  Mark mark() {
    return new Mark(ticker.nanos(), clock.millis());
  }

  /** The heartbeat of this life, sent at the mark, was stored. */
  void renew(RelayIdentity life, Mark mark) {
    renewal = new Renewal(life, mark);
  }

  /** The relay has been expelled, or has left. */
  void end() {
    renewal = null;
  }

  boolean valid() {
    Renewal last = renewal;
    return last != null && young(last.mark, ticker.nanos());
  }

  boolean validFor(RelayIdentity life, long now) {
    Renewal last = renewal;
    return last != null && last.life.equals(life) && young(last.mark, now);
  }

  private boolean young(Mark mark, long now) {
    return now - mark.nanos < validNanos
        && clock.millis() - mark.wallMillis < validNanos / 1_000_000;
  }

  /** How long until the last heartbeat that was stored is this old; zero if it is. */
  Duration untilOlderThan(Duration age) {
    Renewal last = renewal;
    long left = last == null ? 0 : age.toNanos() - (ticker.nanos() - last.mark.nanos);
    return Duration.ofNanos(Math.max(0, left));
  }
}
