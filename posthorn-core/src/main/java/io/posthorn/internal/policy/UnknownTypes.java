/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import io.posthorn.DeliveryResult;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import java.time.Duration;

/** What becomes of messages that nobody takes where they are. Reader thread only. */
public final class UnknownTypes {
  private final Unreadable policy;
  private final Duration grace;

  public UnknownTypes(Unreadable policy, Duration grace) {
    this.policy = policy;
    this.grace = grace;
  }

  /**
   * The fate by the policy; delivered stands for dropped.
   *
   * @param attempts what was counted so far
   * @param waited for how long nobody took it
   */
  public Fate fate(Envelope message, int attempts, Duration waited) {
    DeliveryResult result = policy.unknownType(message, waited, grace);
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
   * It waits, without a time, for a relay that can tell: a generic handler of another live instance
   * may want it.
   */
  public static Fate perhapsElsewhere(int attempts) {
    return new Fate.Deferred(
        DeferReason.ELSEWHERE,
        attempts,
        RetryPolicy.LONGEST_DELAY,
        "perhaps a handler of another instance takes this type");
  }
}
