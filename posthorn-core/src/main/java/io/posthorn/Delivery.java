/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.StoredMessage;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to hand one message to one handler: all that a handler may want to know beside the
 * payload.
 *
 * @param message the row as it is stored
 * @param handler the name of the handler
 * @param attempt deliveries tried so far, this one included
 * @param lastError what the last failed attempt said, or null
 * @param epoch the epoch of the partition's owner. It grows at each change of owner: a receiver
 *     that remembers the highest epoch it has seen for a key can refuse a relay that was overtaken
 * @since 0.1
 */
public record Delivery(
    StoredMessage message, String handler, int attempt, @Nullable String lastError, long epoch) {
  public Delivery {
    requireNonNull(message, "message");
    requireNonNull(handler, "handler");
  }

  public UUID messageId() {
    return message.envelope().id();
  }

  public String type() {
    return message.envelope().type();
  }

  public @Nullable String key() {
    return message.envelope().key();
  }

  public @Nullable String tenant() {
    return message.envelope().tenant();
  }

  public @Nullable String aggregateType() {
    return message.envelope().aggregateType();
  }

  public Map<String, String> headers() {
    return message.envelope().headers();
  }

  /** The key under which it was published once only, or null. */
  public @Nullable String idempotencyKey() {
    return headers().get(Message.IDEMPOTENCY_KEY_HEADER);
  }

  /** When the row was written, on the database's clock. */
  public Instant createdAt() {
    return message.createdAt();
  }

  /** When it happened, as the publisher said; else when it was published. */
  public Instant occurredAt() {
    return message.envelope().occurredAt();
  }

  public boolean isRetry() {
    return attempt > 1;
  }

  /** Names the message and the attempt; never the payload. */
  @Override
  public String toString() {
    return "Delivery[message=%s, type=%s, key=%s, handler=%s, attempt=%d, epoch=%d]"
        .formatted(messageId(), type(), key(), handler, attempt, epoch);
  }
}
