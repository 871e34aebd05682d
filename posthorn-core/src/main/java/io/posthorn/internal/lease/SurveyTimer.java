/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.spi.Ticker;
import java.time.Duration;

/**
 * Says when to look at the fleet: soon after changes, seldom while nothing happens and others'
 * changes are told by signals. Lease thread only, but for requests.
 */
final class SurveyTimer {
  static final Duration FIRST_INTERVAL = Duration.ofSeconds(1);

  private final Ticker ticker;
  private final Duration longestInterval;
  private volatile boolean requested = true;
  private long begunAt;
  private Duration interval = FIRST_INTERVAL;
  private Duration untilExpulsion = FIRST_INTERVAL; // from when it began

  /**
   * @param longestInterval a relay that dies is missed as soon as a heartbeat of it would be
   */
  SurveyTimer(Ticker ticker, Duration longestInterval) {
    this.ticker = ticker;
    this.longestInterval = longestInterval;
  }

  /** Asks for a survey at the next pass. Any thread. */
  void request() {
    requested = true;
  }

  boolean isDue() {
    return requested || nextIn().isZero();
  }

  Duration nextIn() {
    Duration passed = Duration.ofNanos(ticker.nanos() - begunAt);
    Duration left = shorter(interval, untilExpulsion).minus(passed);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** A survey begins; returns whether it was asked for. */
  boolean begin() {
    boolean asked = requested;
    requested = false;
    begunAt = ticker.nanos();
    return asked;
  }

  /** Somebody may have to be expelled in this time from when the survey began. */
  void untilExpulsion(Duration time) {
    untilExpulsion = time;
  }

  /**
   * A survey has ended.
   *
   * @param moved whether partitions were moved: the next one follows until there is nothing to move
   * @param calm whether nothing happens that would not be told
   */
  void ended(boolean moved, boolean calm) {
    if (moved) { // written only then: somebody may be asking at this moment
      requested = true;
    }
    interval = calm && !moved ? shorter(interval.multipliedBy(2), longestInterval) : FIRST_INTERVAL;
  }

  static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
