/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.PosthornException;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.policy.ErrorText;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.StoredMessage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a message from how its delivery ended, and tells the listeners. */
final class Verdicts {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");

  /** What is asked for without end must not keep the relay busy. */
  private static final Duration LEAST_UNCOUNTED = Duration.ofMillis(100);

  private final RetryPolicies retries;
  private final Unreadable unreadable;
  private final Clock clock;
  private final Circuits circuits;
  private final Listeners listeners;
  private final FailureLog failures;
  private final Fate delivered;

  Verdicts(Workers.Setting setting, Circuits circuits) {
    this.delivered = setting.options().retention().isZero() ? Fate.DELIVERED : Fate.KEPT;
    this.retries = new RetryPolicies(setting.options(), setting.failures());
    this.unreadable = setting.unreadable();
    this.clock = setting.clock();
    this.circuits = circuits;
    this.listeners = setting.listeners();
    this.failures = setting.failures();
  }

  Fate expired(StoredMessage message) {
    listeners.tell(listener -> listener.expired(message));
    return Fate.DELIVERED;
  }

  /** The same as below, with the worker watched: fallbacks and callbacks may hang too. */
  @Nullable Fate of(Seat seat, Attempt<?> attempt) {
    seat.enter();
    try {
      return of(seat.handler, attempt);
    } finally {
      seat.leave();
    }
  }

  /**
   * What becomes of the message.
   *
   * @return null if the destination is down, so that nothing counts as tried
   */
  <P> @Nullable Fate of(HandlerLanes handler, Attempt<P> attempt) {
    Throwable failure = attempt.failure();
    String destination = attempt.destination();
    if (failure == null) {
      DeliveryResult result = requireNonNull(attempt.result(), "result");
      if (destination != null && result instanceof DeliveryResult.Delivered) {
        circuits.gotThrough(handler, destination);
      }
      return decided(attempt, result, "asked for by the handler");
    }
    if (failure instanceof Invoker.Waiting waiting) {
      return waits(attempt, waiting.delay(), waiting.reason());
    }
    listeners.tell(listener -> listener.failed(attempt.delivery(), failure));
    if (failure instanceof Invoker.Undecodable) {
      DeliveryResult result = unreadable.undecodable(attempt.delivery(), failure);
      return decided(attempt, result, ErrorText.of(failure));
    }
    String unavailable =
        destination != null && failure instanceof DestinationDownException down
            ? down.destination().orElse(null)
            : null;
    if (destination != null && unavailable != null) {
      Duration delay = circuits.unavailable(handler, destination, unavailable, failure);
      return waits(attempt, delay, ErrorText.of(failure));
    }
    if (destinationDown(attempt.spec(), failure)) {
      circuits.down(handler, failure);
      return null;
    }
    DeliveryResult asked = asked(attempt, failure);
    return asked == null
        ? failed(attempt, failure)
        : decided(attempt, asked, ErrorText.of(failure));
  }

  /** The lane waits for its destination. */
  private static Fate waits(Attempt<?> attempt, Duration delay, String reason) {
    int attempts = attempt.delivery().attempt() - 1;
    return new Fate.Deferred(DeferReason.WAITING, attempts, delay, reason);
  }

  /** The failure of what asks is no reason to stop asking the others. */
  private boolean destinationDown(HandlerSpec<?> spec, Throwable failure) {
    try {
      return spec.saysDestinationDown(failure);
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("the destination-down test of handler \"" + spec.name() + "\"", e);
      return false;
    }
  }

  private <P> @Nullable DeliveryResult asked(Attempt<P> attempt, Throwable failure) {
    Handler.OnFailure<P> callback = attempt.spec().onFailure().orElse(null);
    if (callback == null) {
      return null;
    }
    try {
      return callback.decide(attempt.payload(), attempt.delivery(), failure);
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("the failure callback of handler \"" + attempt.spec().name() + "\"", e);
      return null;
    }
  }

  private Fate decided(Attempt<?> attempt, DeliveryResult result, String reason) {
    HandlerSpec.LanePolicy lanes = attempt.spec().lanePolicy();
    if (result instanceof DeliveryResult.Delivered) {
      return delivered(attempt.delivery());
    }
    if (result instanceof DeliveryResult.Ignored) {
      listeners.tell(listener -> listener.ignored(attempt.delivery()));
      return Fate.DELIVERED;
    }
    if (result instanceof DeliveryResult.Dead dead) {
      boolean blocks = lanes == HandlerSpec.LanePolicy.BLOCK;
      return dead(attempt, ErrorText.clean(dead.reason()), blocks);
    }
    if (result instanceof DeliveryResult.BlockLane block) {
      boolean blocks = lanes != HandlerSpec.LanePolicy.PASS;
      return dead(attempt, ErrorText.clean(block.reason()), blocks);
    }
    if (result instanceof DeliveryResult.RetryAfter retryAfter) {
      return again(attempt, retryAfter.delay(), retryAfter.counted(), reason);
    }
    DeliveryResult.RetryAt retryAt = (DeliveryResult.RetryAt) result;
    Duration delay = Duration.between(clock.instant(), retryAt.time());
    return again(attempt, withinBounds(delay), retryAt.counted(), reason);
  }

  private static Duration withinBounds(Duration delay) {
    if (delay.isNegative()) {
      return Duration.ZERO;
    }
    return delay.compareTo(RetryPolicy.LONGEST_DELAY) > 0 ? RetryPolicy.LONGEST_DELAY : delay;
  }

  private Fate delivered(Delivery delivery) {
    listeners.tell(listener -> listener.delivered(delivery));
    return delivered;
  }

  private Fate again(Attempt<?> attempt, Duration delay, boolean counted, String reason) {
    int attempts = attempt.delivery().attempt();
    if (!counted) {
      Duration least = delay.compareTo(LEAST_UNCOUNTED) < 0 ? LEAST_UNCOUNTED : delay;
      return retrying(attempt, attempts - 1, least, reason);
    }
    if (!retries.usedUp(attempt.spec(), attempt.delivery())) {
      return retrying(attempt, attempts, delay, reason);
    }
    Throwable failure = attempt.failure();
    return givenUp(
        attempt,
        failure == null
            ? new PosthornException("no attempt is left: one more was " + reason)
            : failure);
  }

  private Fate retrying(Attempt<?> attempt, int attempts, Duration delay, String reason) {
    Delivery delivery = attempt.delivery();
    LOGGER.log(Level.DEBUG, () -> delivery + " is tried again in " + delay + ": " + reason);
    listeners.tell(listener -> listener.retrying(delivery, attempt.failure(), delay));
    boolean passed = attempt.spec().lanePolicy() == HandlerSpec.LanePolicy.PASS;
    return new Fate.Deferred(DeferReason.RETRYING, attempts, delay, reason, passed);
  }

  private Fate failed(Attempt<?> attempt, Throwable failure) {
    Duration delay = retries.delay(attempt.spec(), attempt.delivery(), failure).orElse(null);
    return delay == null
        ? givenUp(attempt, failure)
        : retrying(attempt, attempt.delivery().attempt(), delay, ErrorText.of(failure));
  }

  private <P> Fate givenUp(Attempt<P> attempt, Throwable failure) {
    boolean blocks = attempt.spec().lanePolicy() == HandlerSpec.LanePolicy.BLOCK;
    Handler.Fallback<P> fallback = attempt.spec().fallback().orElse(null);
    if (fallback == null || failure instanceof Invoker.Undecodable) {
      return dead(attempt, ErrorText.of(failure), blocks);
    }
    try {
      fallback.handle(attempt.payload(), attempt.delivery(), failure);
      return delivered(attempt.delivery());
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      String error = "the fallback failed: %s; before it: %s";
      return dead(attempt, error.formatted(ErrorText.of(e), ErrorText.of(failure)), blocks);
    }
  }

  private static Fate dead(Attempt<?> attempt, String error, boolean blocksLane) {
    return new Fate.Dead(attempt.delivery().attempt(), error, blocksLane);
  }
}
