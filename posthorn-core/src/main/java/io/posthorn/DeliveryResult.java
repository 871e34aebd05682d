/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;

/**
 * What a handler, or whoever is asked about a failure, decides about one message for one handler.
 *
 * @since 0.1
 */
public sealed interface DeliveryResult {
  /** The handler is done with it. */
  record Delivered() implements DeliveryResult {}

  /**
   * It is to be delivered again.
   *
   * @param delay from now, on the database's clock
   * @param counted whether this was an attempt; then the retry policy's maximum applies. One that
   *     is not counted waits for at least 100 ms
   */
  record RetryAfter(Duration delay, boolean counted) implements DeliveryResult {
    public RetryAfter {
      if (delay.isNegative() || delay.compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
        throw new IllegalArgumentException(
            "delay was " + delay + " but must be between 0 and 100 years");
      }
    }
  }

  /**
   * It is to be delivered again at a time; one that has passed stands for now.
   *
   * @param counted whether this was an attempt; then the retry policy's maximum applies
   */
  record RetryAt(Instant time, boolean counted) implements DeliveryResult {
    public RetryAt {
      requireNonNull(time, "time");
    }
  }

  /**
   * It becomes a dead letter, without a fallback; its lane goes on, or not, as the handler says.
   */
  record Dead(String reason) implements DeliveryResult {
    public Dead {
      requireNonNull(reason, "reason");
    }
  }

  /** It becomes a dead letter, and its lane stays blocked until a person decides. */
  record BlockLane(String reason) implements DeliveryResult {
    public BlockLane {
      requireNonNull(reason, "reason");
    }
  }

  /** It is dropped, and counted as ignored. */
  record Ignored() implements DeliveryResult {}

  /** The handler is done with it. */
  static DeliveryResult delivered() {
    return new Delivered();
  }

  /** Deliver it again after this delay; counts as an attempt. */
  static DeliveryResult retryAfter(Duration delay) {
    return new RetryAfter(delay, true);
  }

  /** Deliver it again after this delay; does not count as an attempt. */
  static DeliveryResult retryAfterUncounted(Duration delay) {
    return new RetryAfter(delay, false);
  }

  /** Deliver it again at this time; counts as an attempt. */
  static DeliveryResult retryAt(Instant time) {
    return new RetryAt(time, true);
  }

  /** Give it up. */
  static DeliveryResult dead(String reason) {
    return new Dead(reason);
  }

  /** Give it up, and hold everything behind it in its lane until a person decides. */
  static DeliveryResult blockLane(String reason) {
    return new BlockLane(reason);
  }

  /** Drop it. */
  static DeliveryResult ignored() {
    return new Ignored();
  }
}
