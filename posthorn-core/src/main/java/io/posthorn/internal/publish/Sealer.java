/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.PublishException;
import io.posthorn.PublishOptions;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Checks a message and serialises its payload, once. What it lets pass, every supported database
 * can store.
 */
final class Sealer {
  static final int MOST_CHARS = 255;
  static final int MOST_HEADER_CHARS = 32_000;
  private static final String JSON = "application/json";
  private static final String BINARY = "application/octet-stream";
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private final @Nullable PayloadCodec codec;
  private final IdGenerator ids;
  private final Clock clock;
  private final int maxPayloadBytes;

  /**
   * @param codec null if there is none; then only text and bytes can be published
   */
  Sealer(@Nullable PayloadCodec codec, IdGenerator ids, Clock clock, PublishOptions options) {
    this.codec = codec;
    this.ids = ids;
    this.clock = clock;
    this.maxPayloadBytes = options.maxPayloadBytes();
  }

  Envelope seal(Message message) {
    checkText("type", message.type(), message);
    if (message.type().isBlank()) {
      throw refused(
          message, "its type is blank", "give it a stable logical name such as \"order-placed\"");
    }
    checkText("key", message.key(), message);
    checkText("tenant", message.tenant(), message);
    checkText("aggregate type", message.aggregateType(), message);
    checkText("content type", message.contentType(), message);
    checkHeaders(message);
    checkTime("occurred-at", message.occurredAt(), message);
    checkTime("expiry", message.expiresAt(), message);
    byte[] payload = bytes(message);
    if (payload != null && payload.length > maxPayloadBytes) {
      throw refused(
          message,
          "its payload has %d bytes, the limit is %d".formatted(payload.length, maxPayloadBytes),
          "store large data elsewhere and publish where it is, or raise publish.max-payload-bytes");
    }
    return envelope(message, payload);
  }

  private Envelope envelope(Message message, byte @Nullable [] payload) {
    UUID id = message.id();
    Instant occurredAt = message.occurredAt();
    return new Envelope(
        id == null ? ids.next() : id,
        message.type(),
        message.aggregateType(),
        message.key(),
        message.tenant(),
        message.headers(),
        contentType(message),
        payload,
        occurredAt == null ? clock.instant() : occurredAt,
        message.expiresAt());
  }

  private String contentType(Message message) {
    String given = message.contentType();
    if (given != null) {
      return given;
    }
    Object payload = message.payload();
    if (payload instanceof byte[]) {
      return BINARY;
    }
    return payload == null || payload instanceof String || codec == null
        ? JSON
        : codec.contentType();
  }

  private byte @Nullable [] bytes(Message message) {
    Object payload = message.payload();
    if (payload == null) {
      return null;
    }
    if (payload instanceof byte[] bytes) {
      return bytes;
    }
    if (payload instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    return encode(message, payload);
  }

  private byte[] encode(Message message, Object payload) {
    if (codec == null) {
      throw refused(
          message,
          "there is no codec for " + payload.getClass().getName(),
          "add posthorn-jackson to the class path, set a codec in the builder, or publish text or bytes");
    }
    try {
      return codec.encode(payload);
    } catch (RuntimeException e) {
      throw new PublishException(
          "Message of type \"%s\" not published: its payload of %s could not be written: %s"
              .formatted(message.type(), payload.getClass().getName(), e.getMessage()),
          e);
    }
  }

  private static void checkHeaders(Message message) {
    int chars = 0;
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      checkText("header name", header.getKey(), message);
      if (header.getKey().isBlank()) {
        throw refused(message, "a header name is blank", "give it a name");
      }
      checkStorable("header \"" + header.getKey() + "\"", header.getValue(), message);
      chars += header.getKey().length() + header.getValue().length();
    }
    if (chars > MOST_HEADER_CHARS) {
      throw refused(
          message,
          "its headers have %d characters, the limit is %d".formatted(chars, MOST_HEADER_CHARS),
          "put large data into the payload");
    }
  }

  private static void checkText(String what, @Nullable String text, Message message) {
    if (text == null) {
      return;
    }
    if (text.length() > MOST_CHARS) {
      throw refused(
          message,
          "its %s has %d characters, the limit is %d".formatted(what, text.length(), MOST_CHARS),
          "shorten it, or use a hash of it");
    }
    checkStorable(what, text, message);
  }

  private static void checkStorable(String what, String text, Message message) {
    boolean storable =
        text.codePoints()
            .allMatch(
                c -> c != 0 && !(c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    if (!storable) {
      throw refused(
          message,
          "its " + what + " has a NUL character or half a surrogate pair",
          "remove it: not every database can store it");
    }
  }

  private static void checkTime(String what, @Nullable Instant time, Message message) {
    if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
      throw refused(message, "its " + what + " is not between the years 1 and 9999", "correct it");
    }
  }

  private static PublishException refused(Message message, String found, String fix) {
    String type =
        message.type().length() > MOST_CHARS
            ? message.type().substring(0, 40) + "…"
            : message.type();
    return new PublishException(
        "Message of type \"%s\" not published: %s; %s".formatted(type, found, fix));
  }
}
