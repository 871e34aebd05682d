/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Says whether and when a failed delivery is tried again. Called on a worker; must not block. It
 * can be set for a handler, for a type, and for the relay; the first of these that is there counts.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5), 8).jitter(0.2).noRetryOn(BadOrder.class)
 * }</pre>
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
   * How often a message is tried at the most, the first delivery included. It also bounds the
   * retries that a handler asks for and wants counted.
   */
  default int maxAttempts() {
    return Integer.MAX_VALUE;
  }

  /**
   * Waits the same time after each attempt.
   *
   * @param maxAttempts how often a message is tried at the most, the first delivery included
   */
  static Backoff fixed(Duration delay, int maxAttempts) {
    return new Backoff(DelayCurve.fixed(delay, maxAttempts), maxAttempts);
  }

  /**
   * Adds a step with each attempt: initial, initial + step, initial + 2 × step, never more than the
   * maximum.
   *
   * @param maxAttempts how often a message is tried at the most, the first delivery included
   */
  static Backoff linear(Duration initial, Duration step, Duration maximum, int maxAttempts) {
    return new Backoff(DelayCurve.linear(initial, step, maximum, maxAttempts), maxAttempts);
  }

  /**
   * Doubles the delay with each attempt: initial, twice that, four times that, never more than the
   * maximum.
   *
   * @param maxAttempts how often a message is tried at the most, the first delivery included
   */
  static Backoff exponential(Duration initial, Duration maximum, int maxAttempts) {
    return new Backoff(DelayCurve.exponential(initial, maximum, maxAttempts), maxAttempts);
  }

  /**
   * Multiplies the delay with each attempt, never more than the maximum: after attempt n it is
   * initial × multiplier<sup>n-1</sup>, rounded to the nanosecond.
   *
   * @param multiplier at least 1; taken as the decimal number it prints as
   * @param maxAttempts how often a message is tried at the most, the first delivery included
   */
  static Backoff exponential(
      Duration initial, double multiplier, Duration maximum, int maxAttempts) {
    return new Backoff(
        DelayCurve.exponential(initial, multiplier, maximum, maxAttempts), maxAttempts);
  }

  /** One attempt: whatever fails is given up. */
  static Backoff none() {
    return fixed(Duration.ZERO, 1);
  }

  /** 200 ms, doubling up to one minute, ten attempts. */
  static Backoff standard() {
    return exponential(Duration.ofMillis(200), Duration.ofMinutes(1), 10);
  }

  /**
   * Delays that follow a rule, and which failures are worth one. Immutable: each method returns a
   * changed copy.
   *
   * <p>If any failure is named to be retried, by class or by predicate, only those are, also if
   * they are named not to be retried as well. Else all are, but for those named not to be.
   */
  final class Backoff implements RetryPolicy {
    private final DelayCurve curve;
    private final int maxAttempts;
    private final double jitter;
    private final DoubleSupplier random;
    private final List<Predicate<Throwable>> included;
    private final List<Predicate<Throwable>> excluded;

    private Backoff(DelayCurve curve, int maxAttempts) {
      this(
          curve,
          maxAttempts,
          0,
          () -> ThreadLocalRandom.current().nextDouble(),
          List.of(),
          List.of());
    }

    private Backoff(
        DelayCurve curve,
        int maxAttempts,
        double jitter,
        DoubleSupplier random,
        List<Predicate<Throwable>> included,
        List<Predicate<Throwable>> excluded) {
      this.curve = curve;
      this.maxAttempts = maxAttempts;
      this.jitter = jitter;
      this.random = random;
      this.included = included;
      this.excluded = excluded;
    }

    /**
     * Draws each delay evenly from between this fraction less and this fraction more, so that what
     * failed together is not tried again together. The maximum stays the maximum.
     *
     * @param fraction between 0, which draws nothing, and 1
     */
    public Backoff jitter(double fraction) {
      if (!(fraction >= 0 && fraction <= 1)) {
        throw new IllegalArgumentException(
            "jitter was " + fraction + " but must be between 0 and 1");
      }
      return new Backoff(curve, maxAttempts, fraction, random, included, excluded);
    }

    /** How often a message is tried at the most, the first delivery included. */
    public Backoff maxAttempts(int attempts) {
      if (attempts < 1) {
        throw new IllegalArgumentException(
            "maxAttempts was " + attempts + " but must be 1 or more");
      }
      return new Backoff(curve, attempts, jitter, random, included, excluded);
    }

    /**
     * Retries failures of these classes. What was thrown is looked at, not its causes; a predicate
     * can do that.
     */
    @SafeVarargs
    public final Backoff retryOn(Class<? extends Throwable>... failures) {
      return with(added(included, failures), excluded);
    }

    /** Does not retry failures of these classes. What was thrown is looked at, not its causes. */
    @SafeVarargs
    public final Backoff noRetryOn(Class<? extends Throwable>... failures) {
      return with(included, added(excluded, failures));
    }

    /** Retries these failures. */
    public Backoff retryIf(Predicate<Throwable> failure) {
      return with(added(included, requireNonNull(failure, "failure")), excluded);
    }

    /** Does not retry these failures. */
    public Backoff noRetryIf(Predicate<Throwable> failure) {
      return with(included, added(excluded, requireNonNull(failure, "failure")));
    }

    /** For tests: draws from here, from 0 up to but not including 1. */
    Backoff random(DoubleSupplier source) {
      return new Backoff(curve, maxAttempts, jitter, source, included, excluded);
    }

    private Backoff with(List<Predicate<Throwable>> include, List<Predicate<Throwable>> exclude) {
      return new Backoff(curve, maxAttempts, jitter, random, include, exclude);
    }

    @SafeVarargs
    private static List<Predicate<Throwable>> added(
        List<Predicate<Throwable>> some, Class<? extends Throwable>... failures) {
      List<Predicate<Throwable>> all = some;
      for (Class<? extends Throwable> failure : failures) {
        all = added(all, requireNonNull(failure, "failure")::isInstance);
      }
      return all;
    }

    private static List<Predicate<Throwable>> added(
        List<Predicate<Throwable>> some, Predicate<Throwable> one) {
      List<Predicate<Throwable>> all = new ArrayList<>(some);
      all.add(one);
      return List.copyOf(all);
    }

    @Override
    public int maxAttempts() {
      return maxAttempts;
    }

    @Override
    public Optional<Duration> delayAfter(int attempts, Throwable cause) {
      if (attempts >= maxAttempts || !retries(cause)) {
        return Optional.empty();
      }
      long exact = curve.nanosAfter(Math.max(1, attempts));
      return Optional.of(Duration.ofNanos(jitter == 0 ? exact : drawn(exact)));
    }

    private boolean retries(Throwable cause) {
      return included.isEmpty()
          ? excluded.stream().noneMatch(failure -> failure.test(cause))
          : included.stream().anyMatch(failure -> failure.test(cause));
    }

    /** Nothing overflows: neither a delay nor the maximum is longer than {@link #LONGEST_DELAY}. */
    private long drawn(long exact) {
      long spread = Math.min(exact, (long) (exact * jitter));
      long least = exact - spread;
      long most = Math.min(exact + spread, curve.mostNanos());
      return Math.min(most, least + (long) (random.getAsDouble() * (most - least + 1)));
    }
  }
}
