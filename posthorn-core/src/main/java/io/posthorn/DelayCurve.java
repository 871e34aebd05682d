/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.function.IntToLongFunction;

/**
 * The delay that follows each attempt, before jitter, to the nanosecond. Each factory refuses what
 * makes no sense, with its own name and values.
 */
final class DelayCurve {
  private static final long LONGEST = RetryPolicy.LONGEST_DELAY.toNanos();

  /** The highest power that {@link BigDecimal} takes; no delay that still grows is that far. */
  private static final int MOST_POWER = 999_999_999;

  private final long most;
  private final IntToLongFunction nanosAfterSteps;

  /**
   * @param nanosAfterSteps gets how many attempts came before the last one; may exceed the maximum
   */
  private DelayCurve(long most, IntToLongFunction nanosAfterSteps) {
    this.most = most;
    this.nanosAfterSteps = nanosAfterSteps;
  }

  static DelayCurve fixed(Duration delay, int maxAttempts) {
    requireNonNull(delay, "delay");
    String call = "fixed(%s, %d)".formatted(delay, maxAttempts);
    require(
        !delay.isNegative() && maxAttempts >= 1, call, "needs 0 <= delay and at least 1 attempt");
    require(fits(delay), call, "delay must be at most 100 years");
    long nanos = delay.toNanos();
    return new DelayCurve(LONGEST, steps -> nanos);
  }

  static DelayCurve linear(Duration initial, Duration step, Duration maximum, int maxAttempts) {
    requireNonNull(step, "step");
    String call = "linear(%s, %s, %s, %d)".formatted(initial, step, maximum, maxAttempts);
    checkBounds(initial, maximum, maxAttempts, call);
    require(!step.isNegative() && fits(step), call, "step must be between 0 and 100 years");
    long first = initial.toNanos();
    long growth = step.toNanos();
    long cap = maximum.toNanos();
    return new DelayCurve(
        cap, steps -> growth > 0 && steps > (cap - first) / growth ? cap : first + growth * steps);
  }

  static DelayCurve exponential(Duration initial, Duration maximum, int maxAttempts) {
    return exponential(
        initial,
        2,
        maximum,
        maxAttempts,
        "exponential(%s, %s, %d)".formatted(initial, maximum, maxAttempts));
  }

  static DelayCurve exponential(
      Duration initial, double multiplier, Duration maximum, int maxAttempts) {
    return exponential(
        initial,
        multiplier,
        maximum,
        maxAttempts,
        "exponential(%s, %s, %s, %d)".formatted(initial, multiplier, maximum, maxAttempts));
  }

  private static DelayCurve exponential(
      Duration initial, double multiplier, Duration maximum, int maxAttempts, String call) {
    checkBounds(initial, maximum, maxAttempts, call);
    require(
        multiplier >= 1 && multiplier < Double.POSITIVE_INFINITY,
        call,
        "multiplier must be a number of 1 or more");
    BigDecimal exact = BigDecimal.valueOf(multiplier);
    long first = initial.toNanos();
    long cap = maximum.toNanos();
    return new DelayCurve(cap, steps -> grown(first, exact, steps, cap));
  }

  private static long grown(long first, BigDecimal multiplier, int steps, long cap) {
    if (first == 0) {
      return 0;
    }
    // Far beyond the maximum the exact power would need more digits than there are.
    if (first * Math.pow(multiplier.doubleValue(), steps) > 2.0 * cap) {
      return cap;
    }
    BigDecimal power = multiplier.pow(Math.min(steps, MOST_POWER), MathContext.DECIMAL128);
    return power
        .multiply(BigDecimal.valueOf(first))
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }

  private static void checkBounds(
      Duration initial, Duration maximum, int maxAttempts, String call) {
    requireNonNull(initial, "initial");
    requireNonNull(maximum, "maximum");
    require(
        !initial.isNegative() && maximum.compareTo(initial) >= 0 && maxAttempts >= 1,
        call,
        "needs 0 <= initial <= maximum and at least 1 attempt");
    require(fits(maximum), call, "maximum must be at most 100 years");
  }

  private static boolean fits(Duration delay) {
    return delay.compareTo(RetryPolicy.LONGEST_DELAY) <= 0;
  }

  private static void require(boolean holds, String call, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("retry was " + call + " but " + rule);
    }
  }

  /** No delay is longer, jitter included. */
  long mostNanos() {
    return most;
  }

  /**
   * @param attempts at least 1
   */
  long nanosAfter(int attempts) {
    return Math.min(most, nanosAfterSteps.applyAsLong(attempts - 1));
  }
}
