/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.StoredMessage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Decides what becomes of a message from how its delivery ended, and tells the listeners. */
final class Verdicts {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");

  private final RetryPolicies retries;
  private final Unreadable unreadable;
  private final Listeners listeners;
  private final DeadLetterLog deadLetters;

  Verdicts(
      RetryPolicies retries,
      Unreadable unreadable,
      Listeners listeners,
      DeadLetterLog deadLetters) {
    this.retries = retries;
    this.unreadable = unreadable;
    this.listeners = listeners;
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
    if (cause instanceof Invoker.Undecodable) {
      return decided(spec, delivery, unreadable.undecodable(delivery, cause), cause);
    }
    return retries
        .delay(spec, delivery, cause)
        .map(delay -> retrying(delivery, delivery.attempt(), cause, delay))
        .orElseGet(() -> dead(delivery, cause, ErrorText.of(cause), false));
  }

  /** What somebody decided about a failed delivery; never a {@link DeliveryResult.RetryAt}. */
  private Fate decided(
      HandlerSpec<?> spec, Delivery delivery, DeliveryResult result, Throwable cause) {
    if (result instanceof DeliveryResult.RetryAfter retry) {
      int attempts = delivery.attempt() - (retry.counted() ? 0 : 1);
      return retry.counted() && retries.usedUp(spec, delivery)
          ? dead(delivery, cause, ErrorText.of(cause), false)
          : retrying(delivery, attempts, cause, retry.delay());
    }
    if (result instanceof DeliveryResult.Dead dead) {
      return dead(delivery, cause, ErrorText.clean(dead.reason()), false);
    }
    if (result instanceof DeliveryResult.BlockLane dead) {
      return dead(delivery, cause, ErrorText.clean(dead.reason()), true);
    }
    if (result instanceof DeliveryResult.Ignored) {
      listeners.tell(listener -> listener.ignored(delivery));
      return Fate.DELIVERED;
    }
    return delivered(delivery);
  }

  private Fate retrying(Delivery delivery, int attempts, Throwable cause, Duration delay) {
    String error = ErrorText.of(cause);
    LOGGER.log(
        Level.DEBUG, () -> delivery + " failed and is tried again in " + delay + ": " + error);
    listeners.tell(listener -> listener.retrying(delivery, cause, delay));
    return new Fate.Deferred(DeferReason.RETRYING, attempts, delay, error);
  }

  private Fate dead(Delivery delivery, Throwable cause, String error, boolean blocksLane) {
    deadLetters.add(delivery, error);
    listeners.tell(listener -> listener.dead(delivery, cause));
    return new Fate.Dead(delivery.attempt(), error, blocksLane);
  }
}
