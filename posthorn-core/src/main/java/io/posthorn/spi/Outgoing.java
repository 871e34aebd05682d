/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a route made of a message, ready to be sent. Payload and headers are not copied: whoever
 * makes one, and a sender, leaves them as they are.
 *
 * @param destination a topic, an exchange, or what else the broker calls it
 * @param routingKey null: the sender's default
 * @param key what the broker keeps order by, if it does
 * @param headers those of {@link io.posthorn.MessageHeaders} included
 * @param payload null is a tombstone
 * @since 0.1
 */
@SuppressWarnings(
    "ArrayRecordComponent") // a megabyte is not copied at each hop; equality is never asked for
public record Outgoing(
    UUID id,
    String type,
    String destination,
    @Nullable String routingKey,
    @Nullable String key,
    Map<String, String> headers,
    String contentType,
    byte @Nullable [] payload,
    Instant occurredAt) {
  public Outgoing {
    requireNonNull(id, "id");
    requireNonNull(type, "type");
    requireNonNull(destination, "destination");
    requireNonNull(contentType, "contentType");
    requireNonNull(occurredAt, "occurredAt");
    headers = Collections.unmodifiableMap(headers);
  }

  /** Names id, type, destination and key; never the payload. */
  @Override
  public String toString() {
    return "Outgoing[id=%s, type=%s, destination=%s, key=%s]".formatted(id, type, destination, key);
  }
}
