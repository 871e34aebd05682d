/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.NewMessage.Delay;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Checks when a message is to be delivered, and whether anybody will do it then. */
final class Delays {
  private final boolean promoted;

  /**
   * @param promoted whether some relay moves delayed messages to the ready ones when they are due
   */
  Delays(boolean promoted) {
    this.promoted = promoted;
  }

  /** Null if the message is not delayed. */
  @Nullable Delay of(Message message) {
    Duration after = message.deliverAfter();
    Instant at = message.deliverAt();
    if (after == null && at == null) {
      return null;
    }
    if (!promoted) {
      throw Sealer.refused(
          message,
          "it is delayed, and this process only publishes, so nobody would deliver it when it is due",
          "set publish.promoted-elsewhere if a relay runs in another process, or publish it where one runs");
    }
    if (after != null && at != null) {
      throw Sealer.refused(message, "it has both deliverAfter and deliverAt", "choose one");
    }
    if (after != null) {
      checkDelay(after, message);
      return new Delay.After(after);
    }
    Sealer.checkTime("delivery time", at, message);
    return at == null ? null : new Delay.Until(at);
  }

  private static void checkDelay(Duration after, Message message) {
    if (after.isNegative()) {
      throw Sealer.refused(message, "its delay is negative", "correct it");
    }
    if (after.compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
      throw Sealer.refused(message, "its delay is longer than 100 years", "shorten it");
    }
  }
}
