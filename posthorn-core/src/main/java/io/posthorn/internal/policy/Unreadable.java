/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.RetryPolicy;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.UnreadableMessages;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Function;

/**
 * What becomes of messages that nobody here takes or can read. It guards the user's policy: if that
 * throws, the default counts, and it cannot make the relay go round in circles. Safe to share
 * between threads.
 */
public final class Unreadable {
  private static final UnreadableMessages DEFAULT = new UnreadableMessages() {};
  private static final Duration SOONEST = Duration.ofSeconds(1);

  private final UnreadableMessages policy;
  private final Duration grace;
  private final Clock clock;
  private final FailureLog failures;

  /**
   * @param grace for how long a message of an unknown type waits for a deployment
   */
  public Unreadable(UnreadableMessages policy, Duration grace, Clock clock, FailureLog failures) {
    this.policy = policy;
    this.grace = grace;
    this.clock = clock;
    this.failures = failures;
  }

  /**
   * The fate of a message that no live instance takes; delivered stands for dropped.
   *
   * @param attempts what was counted so far
   * @param waited for how long nobody took it
   */
  public Fate unknownType(Envelope message, int attempts, Duration waited) {
    DeliveryResult result = asked(asks -> asks.unknownType(message, waited, grace));
    if (result instanceof DeliveryResult.RetryAfter retry) {
      return new Fate.Deferred(
          DeferReason.UNCLAIMED,
          attempts + (retry.counted() ? 1 : 0),
          retry.delay(),
          "no live instance has a handler for this type");
    }
    if (result instanceof DeliveryResult.Dead dead) {
      return new Fate.Dead(attempts, ErrorText.clean(dead.reason()));
    }
    if (result instanceof DeliveryResult.BlockLane dead) {
      return new Fate.Dead(attempts, ErrorText.clean(dead.reason()));
    }
    return Fate.DELIVERED;
  }

  /**
   * A message waits, without a time, for a relay that can tell: a generic handler of another live
   * instance may want it.
   */
  public static Fate perhapsElsewhere(int attempts) {
    return new Fate.Deferred(
        DeferReason.ELSEWHERE,
        attempts,
        RetryPolicy.LONGEST_DELAY,
        "perhaps a handler of another instance takes this type");
  }

  /** Never a {@link DeliveryResult.RetryAt}. */
  public DeliveryResult undecodable(Delivery delivery, Throwable cause) {
    return asked(asks -> asks.undecodable(delivery, cause));
  }

  private DeliveryResult asked(Function<UnreadableMessages, DeliveryResult> question) {
    DeliveryResult result;
    try {
      result = requireNonNull(question.apply(policy), "it returned null");
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("the policy for unreadable messages " + policy.getClass().getName(), e);
      result = question.apply(DEFAULT);
    }
    if (result instanceof DeliveryResult.RetryAfter retry) {
      return new DeliveryResult.RetryAfter(bounded(retry.delay()), retry.counted());
    }
    if (result instanceof DeliveryResult.RetryAt retry) {
      Duration delay = Duration.between(clock.instant(), retry.time());
      return new DeliveryResult.RetryAfter(bounded(delay), retry.counted());
    }
    return result;
  }

  private static Duration bounded(Duration delay) {
    if (delay.compareTo(SOONEST) < 0) {
      return SOONEST;
    }
    Duration longest = RetryPolicy.LONGEST_DELAY;
    return delay.compareTo(longest) > 0 ? longest : delay;
  }
}
