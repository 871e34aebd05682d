/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the publisher fixed about a message, serialised and checked. The payload is not copied:
 * whoever makes or gets an envelope leaves it as it is.
 *
 * @param payload null is a tombstone
 * @since 0.1
 */
@SuppressWarnings(
    "ArrayRecordComponent") // a megabyte is not copied at each hop; equality is never asked for
public record Envelope(
    UUID id,
    String type,
    @Nullable String aggregateType,
    @Nullable String key,
    @Nullable String tenant,
    Map<String, String> headers,
    String contentType,
    byte @Nullable [] payload,
    Instant occurredAt,
    @Nullable Instant expiresAt) {
  public Envelope {
    requireNonNull(id, "id");
    requireNonNull(type, "type");
    requireNonNull(contentType, "contentType");
    requireNonNull(occurredAt, "occurredAt");
    headers = Map.copyOf(headers);
  }

  public int payloadBytes() {
    return payload == null ? 0 : payload.length;
  }

  /** Payload and headers. */
  public int bytes() {
    int bytes = payloadBytes();
    if (headers.isEmpty()) {
      return bytes;
    }
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  /** Names id, type and key; never the payload. */
  @Override
  public String toString() {
    return "Envelope[id=" + id + ", type=" + type + ", key=" + key + "]";
  }
}
