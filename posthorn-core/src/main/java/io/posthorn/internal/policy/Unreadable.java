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
import io.posthorn.spi.Envelope;
import io.posthorn.spi.UnreadableMessages;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Function;

/**
 * The guard around the policy for messages that nobody can read: if it throws, the default counts,
 * and it cannot make the relay go round in circles. Safe to share between threads.
 */
public final class Unreadable {
  private static final UnreadableMessages DEFAULT = new UnreadableMessages() {};
  private static final Duration SOONEST = Duration.ofSeconds(1);

  private final UnreadableMessages policy;
  private final Clock clock;
  private final FailureLog failures;

  public Unreadable(UnreadableMessages policy, Clock clock, FailureLog failures) {
    this.policy = policy;
    this.clock = clock;
    this.failures = failures;
  }

  /** Never a {@link DeliveryResult.RetryAt}. */
  DeliveryResult unknownType(Envelope message, Duration waited, Duration grace) {
    return asked(asks -> asks.unknownType(message, waited, grace));
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
