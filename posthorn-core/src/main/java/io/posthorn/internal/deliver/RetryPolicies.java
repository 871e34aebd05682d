/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.RefusedException;
import io.posthorn.RelayOptions;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.run.FailureLog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Which retry policy counts: that of the handler, else that of the type, else the relay's. Guards
 * the engine from what they throw. Safe to share between threads.
 */
final class RetryPolicies {
  private final RetryPolicy ofRelay;
  private final Map<String, RetryPolicy> byType;
  private final FailureLog failures;

  RetryPolicies(RelayOptions options, FailureLog failures) {
    this.ofRelay = options.retry();
    this.byType = options.retryByType();
    this.failures = failures;
  }

  /** The one that counts for this delivery, whose type is the one it is delivered as. */
  RetryPolicy of(HandlerSpec<?> spec, Delivery delivery) {
    return spec.retry().orElseGet(() -> byType.getOrDefault(delivery.type(), ofRelay));
  }

  /** The delay before the next attempt, or empty if there is to be none. */
  Optional<Duration> delay(HandlerSpec<?> spec, Delivery delivery, Throwable cause) {
    if (cause instanceof RefusedException) {
      return Optional.empty();
    }
    try {
      Optional<Duration> delay = of(spec, delivery).delayAfter(delivery.attempt(), cause);
      requireNonNull(delay, "a retry policy returned null; it must return a delay or empty");
      if (delay.isPresent() && delay.get().compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
        throw new IllegalArgumentException(
            "a retry policy returned a delay of more than 100 years; it must be shorter, or empty to give up");
      }
      return delay.map(given -> given.isNegative() ? Duration.ZERO : given);
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("the retry policy of handler \"" + spec.name() + "\"", e);
      return RetryPolicy.standard().delayAfter(delivery.attempt(), cause);
    }
  }

  /** Whether a retry that counts is one too many. */
  boolean usedUp(HandlerSpec<?> spec, Delivery delivery) {
    try {
      return delivery.attempt() >= of(spec, delivery).maxAttempts();
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("the retry policy of handler \"" + spec.name() + "\"", e);
      return delivery.attempt() >= RetryPolicy.standard().maxAttempts();
    }
  }
}
