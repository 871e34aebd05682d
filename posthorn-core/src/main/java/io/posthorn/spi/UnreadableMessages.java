/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import java.time.Duration;

/**
 * Decides about messages that nobody can read: of a type that no live instance handles, or with a
 * payload that cannot be decoded. Neither ever stops the messages behind it. If it throws, that is
 * logged and the default counts. A retry comes after one second at the earliest. Safe to share
 * between threads.
 *
 * @since 0.1
 */
public interface UnreadableMessages {
  /**
   * Asked by the relay's reader, so it must be quick: when such a message is met, whenever the time
   * has come that it answered before, and when a relay with other handlers has taken the message
   * over. A message whose type becomes known meanwhile is delivered without a question. By default
   * it waits for the grace time and then becomes a dead letter.
   *
   * @param waited for how long no live instance has handled it, on the database's clock
   * @param grace {@code relay.unknown-type-grace}
   * @return when to be asked again, dead, or ignored; delivered counts as ignored, and a lane
   *     cannot be blocked, for it stands in none
   */
  default DeliveryResult unknownType(Envelope message, Duration waited, Duration grace) {
    return waited.compareTo(grace) < 0
        ? DeliveryResult.retryAfterUncounted(grace.minus(waited))
        : DeliveryResult.dead(
            "no live instance had a handler for type \"%s\" for %s"
                .formatted(message.type(), grace));
  }

  /**
   * Asked on a worker, in place of the retry policy. By default the message becomes a dead letter.
   *
   * @param cause says what could not be decoded to what; never null
   */
  default DeliveryResult undecodable(Delivery delivery, Throwable cause) {
    return DeliveryResult.dead(String.valueOf(cause.getMessage()));
  }
}
