/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.PosthornException;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.policy.ErrorText;
import io.posthorn.internal.policy.RetryPolicies;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.StoredMessage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a message from how its delivery ended, and tells the listeners. */
final class Verdicts {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");

  /** What is asked for without end must not keep the relay busy. */
  private static final Duration LEAST_UNCOUNTED = Duration.ofMillis(100);

  private final RetryPolicies retries;
  private final Unreadable unreadable;
  private final Clock clock;
  private final Circuits circuits;
  private final Listeners listeners;
  private final FailureLog failures;
  private final Fate delivered;

  /**
   * @param keepHistory whether delivered messages go to the history
   */
  Verdicts(
      RetryPolicies retries,
      Unreadable unreadable,
      Clock clock,
      Circuits circuits,
      Listeners listeners,
      FailureLog failures,
      boolean keepHistory) {
    this.delivered = keepHistory ? Fate.KEPT : Fate.DELIVERED;
    this.retries = retries;
    this.unreadable = unreadable;
    this.clock = clock;
    this.circuits = circuits;
    this.listeners = listeners;
    this.failures = failures;
  }

  Fate expired(StoredMessage message) {
    listeners.tell(listener -> listener.expired(message));
    return Fate.DELIVERED;
  }

  /**
   * What becomes of the message.
   *
   * @return null if the destination is down, so that nothing counts as tried
   */
  <P> @Nullable Fate of(
      HandlerLanes handler, HandlerSpec<P> spec, Delivery delivery, Answer<P> answer) {
    Throwable failure = answer.failure();
    if (failure == null) {
      return decided(
          spec,
          delivery,
          answer,
          requireNonNull(answer.result(), "result"),
          "asked for by the handler");
    }
    listeners.tell(listener -> listener.failed(delivery, failure));
    if (failure instanceof Invoker.Undecodable) {
      DeliveryResult result = unreadable.undecodable(delivery, failure);
      return decided(spec, delivery, answer, result, ErrorText.of(failure));
    }
    if (destinationDown(spec, failure)) {
      circuits.down(handler, failure);
      return null;
    }
    DeliveryResult asked = asked(spec, delivery, answer, failure);
    return asked == null
        ? failed(spec, delivery, answer, failure)
        : decided(spec, delivery, answer, asked, ErrorText.of(failure));
  }

  /** The failure of what asks is no reason to stop asking the others. */
  private boolean destinationDown(HandlerSpec<?> spec, Throwable failure) {
    try {
      return spec.saysDestinationDown(failure);
    } catch (RuntimeException | Error e) { // the user's code
      failures.failed("destination-down test of handler \"" + spec.name() + "\"", e);
      return false;
    }
  }

  private <P> @Nullable DeliveryResult asked(
      HandlerSpec<P> spec, Delivery delivery, Answer<P> answer, Throwable failure) {
    Handler.OnFailure<P> callback = spec.onFailure().orElse(null);
    if (callback == null) {
      return null;
    }
    try {
      return callback.decide(answer.payload(), delivery, failure);
    } catch (RuntimeException | Error e) { // the user's code
      failures.failed("failure callback of handler \"" + spec.name() + "\"", e);
      return null;
    }
  }

  private <P> Fate decided(
      HandlerSpec<P> spec,
      Delivery delivery,
      Answer<P> answer,
      DeliveryResult result,
      String reason) {
    if (result instanceof DeliveryResult.Delivered) {
      return delivered(delivery);
    }
    if (result instanceof DeliveryResult.Ignored) {
      listeners.tell(listener -> listener.ignored(delivery));
      return Fate.DELIVERED;
    }
    if (result instanceof DeliveryResult.Dead dead) {
      return dead(delivery, ErrorText.clean(dead.reason()), blocksLane(spec));
    }
    if (result instanceof DeliveryResult.BlockLane block) {
      return dead(
          delivery,
          ErrorText.clean(block.reason()),
          spec.lanePolicy() != HandlerSpec.LanePolicy.PASS);
    }
    if (result instanceof DeliveryResult.RetryAfter retryAfter) {
      return again(spec, delivery, answer, retryAfter.delay(), retryAfter.counted(), reason);
    }
    DeliveryResult.RetryAt retryAt = (DeliveryResult.RetryAt) result;
    Duration delay = Duration.between(clock.instant(), retryAt.time());
    return again(spec, delivery, answer, withinBounds(delay), retryAt.counted(), reason);
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

  private <P> Fate again(
      HandlerSpec<P> spec,
      Delivery delivery,
      Answer<P> answer,
      Duration delay,
      boolean counted,
      String reason) {
    if (counted && retries.usedUp(spec, delivery)) {
      Throwable failure = answer.failure();
      return givenUp(
          spec,
          delivery,
          answer,
          failure == null
              ? new PosthornException("no attempt is left: one more was " + reason)
              : failure);
    }
    Cause cause = new Cause(answer.failure(), reason);
    if (counted) {
      return retrying(spec, delivery, delivery.attempt(), delay, cause);
    }
    Duration least = delay.compareTo(LEAST_UNCOUNTED) < 0 ? LEAST_UNCOUNTED : delay;
    return retrying(spec, delivery, delivery.attempt() - 1, least, cause);
  }

  /** Why a message is tried again. */
  private record Cause(@Nullable Throwable failure, String text) {}

  private Fate retrying(
      HandlerSpec<?> spec, Delivery delivery, int attempts, Duration delay, Cause cause) {
    LOGGER.log(Level.DEBUG, () -> delivery + " is tried again in " + delay + ": " + cause.text);
    listeners.tell(listener -> listener.retrying(delivery, cause.failure, delay));
    boolean passed = spec.lanePolicy() == HandlerSpec.LanePolicy.PASS;
    return new Fate.Deferred(DeferReason.RETRYING, attempts, delay, cause.text, passed);
  }

  private <P> Fate failed(
      HandlerSpec<P> spec, Delivery delivery, Answer<P> answer, Throwable failure) {
    Optional<Duration> delay = retries.delay(spec, delivery, failure);
    if (delay.isEmpty()) {
      return givenUp(spec, delivery, answer, failure);
    }
    Cause cause = new Cause(failure, ErrorText.of(failure));
    return retrying(spec, delivery, delivery.attempt(), delay.get(), cause);
  }

  private <P> Fate givenUp(
      HandlerSpec<P> spec, Delivery delivery, Answer<P> answer, Throwable failure) {
    Handler.Fallback<P> fallback = spec.fallback().orElse(null);
    if (fallback == null || failure instanceof Invoker.Undecodable) {
      return dead(delivery, ErrorText.of(failure), blocksLane(spec));
    }
    try {
      fallback.handle(answer.payload(), delivery, failure);
      return delivered(delivery);
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      String error = "the fallback failed: %s; before it: %s";
      return dead(
          delivery, error.formatted(ErrorText.of(e), ErrorText.of(failure)), blocksLane(spec));
    }
  }

  private static Fate dead(Delivery delivery, String error, boolean blocksLane) {
    return new Fate.Dead(delivery.attempt(), error, blocksLane);
  }

  /** Whether a dead letter of this handler keeps its lane blocked. */
  private static boolean blocksLane(HandlerSpec<?> spec) {
    return spec.lanePolicy() == HandlerSpec.LanePolicy.BLOCK;
  }
}
