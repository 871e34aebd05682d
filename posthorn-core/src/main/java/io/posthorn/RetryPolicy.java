/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * Says whether and when a failed delivery is tried again. Called on a worker; must not block.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface RetryPolicy {
  /** No delay is longer; beyond that elapsed time cannot be counted. */
  Duration LONGEST_DELAY = Duration.ofDays(36_500);

  /**
   * @param attempts deliveries tried so far, at least 1
   * @param cause why the last one failed
   * @return the delay before the next attempt, or empty: the message becomes a dead letter
   */
  Optional<Duration> delayAfter(int attempts, Throwable cause);

  /**
   * How often a message is tried at the most. It also bounds retries that a handler asks for and
   * wants to be counted.
   */
  default int maxAttempts() {
    return Integer.MAX_VALUE;
  }

  /**
   * Doubles the delay with each attempt: initial, twice that, four times that, never more than the
   * maximum.
   *
   * @param maxAttempts how often a message is tried at the most, the first delivery included
   */
  static RetryPolicy exponential(Duration initial, Duration maximum, int maxAttempts) {
    requireNonNull(initial, "initial");
    requireNonNull(maximum, "maximum");
    if (initial.isNegative() || maximum.compareTo(initial) < 0 || maxAttempts < 1) {
      throw new IllegalArgumentException(
          "retry was exponential(%s, %s, %d) but needs 0 <= initial <= maximum and at least 1 attempt"
              .formatted(initial, maximum, maxAttempts));
    }
    if (maximum.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "retry was exponential(%s, %s, %d) but maximum must be at most 100 years"
              .formatted(initial, maximum, maxAttempts));
    }
    long cap = maximum.toNanos();
    long first = initial.toNanos();
    return (attempts, cause) -> {
      if (attempts >= maxAttempts) {
        return Optional.empty();
      }
      int doublings = Math.min(attempts - 1, 62);
      long delay = first > cap >> doublings ? cap : first << doublings;
      return Optional.of(Duration.ofNanos(delay));
    };
  }

  /** 200 ms, doubling up to one minute, ten attempts. */
  static RetryPolicy standard() {
    return exponential(Duration.ofMillis(200), Duration.ofMinutes(1), 10);
  }
}
