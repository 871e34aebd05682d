/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.StoredMessage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** Decides what becomes of a message from how its delivery ended, and tells the listeners. */
final class Verdicts {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");

  private final RetryPolicy retry;
  private final Listeners listeners;
  private final FailureLog failures;
  private final DeadLetterLog deadLetters;

  Verdicts(RetryPolicy retry, Listeners listeners, FailureLog failures, DeadLetterLog deadLetters) {
    this.retry = retry;
    this.listeners = listeners;
    this.failures = failures;
    this.deadLetters = deadLetters;
  }

  Fate delivered(Delivery delivery) {
    listeners.tell(listener -> listener.delivered(delivery));
    return Fate.DELIVERED;
  }

  Fate expired(StoredMessage message) {
    listeners.tell(listener -> listener.expired(message));
    return Fate.DELIVERED;
  }

  Fate failed(HandlerSpec<?> spec, Delivery delivery, Throwable cause) {
    Optional<Duration> delay =
        cause instanceof Invoker.Undecodable
            ? Optional.empty()
            : delay(spec.retry().orElse(retry), delivery.attempt(), cause);
    String error = ErrorText.of(cause);
    if (delay.isPresent()) {
      LOGGER.log(
          Level.DEBUG,
          () -> delivery + " failed and is tried again in " + delay.get() + ": " + error);
      listeners.tell(listener -> listener.retrying(delivery, cause, delay.get()));
      return new Fate.Deferred(DeferReason.RETRYING, delivery.attempt(), delay.get(), error);
    }
    deadLetters.add(delivery, error);
    listeners.tell(listener -> listener.dead(delivery, cause));
    return new Fate.Dead(delivery.attempt(), error);
  }

  private Optional<Duration> delay(RetryPolicy policy, int attempts, Throwable cause) {
    try {
      Optional<Duration> delay = policy.delayAfter(attempts, cause);
      requireNonNull(delay, "a retry policy returned null; it must return a delay or empty");
      if (delay.isPresent() && delay.get().compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
        throw new IllegalArgumentException(
            "a retry policy returned a delay of more than 100 years; it must be shorter, or empty to give up");
      }
      return delay.map(given -> given.isNegative() ? Duration.ZERO : given);
    } catch (RuntimeException | Error e) { // the user's code
      failures.failed("retry policy", e);
      return RetryPolicy.standard().delayAfter(attempts, cause);
    }
  }
}
