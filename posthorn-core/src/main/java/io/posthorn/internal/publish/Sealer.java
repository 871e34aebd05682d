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
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Checks a message and serialises its payload, once. What it lets pass, every supported database
 * can store.
 */
final class Sealer {
  static final int MOST_CHARS = 255;
  static final String UNSTORABLE = " has a NUL character or half a surrogate pair";
  static final String STORABLE_FIX = "remove it: not every database can store it";
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
    checkText("idempotency key", message.idempotencyKey(), message);
    if ("".equals(message.idempotencyKey())) {
      throw refused(message, "its idempotency key is empty", "give it one, or leave it out");
    }
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
        headers(message),
        contentType(message),
        payload,
        occurredAt == null ? clock.instant() : occurredAt,
        message.expiresAt());
  }

  private static Map<String, String> headers(Message message) {
    String idempotencyKey = message.idempotencyKey();
    if (idempotencyKey == null) {
      return message.headers();
    }
    Map<String, String> headers = new HashMap<>(message.headers());
    headers.put(Message.IDEMPOTENCY_KEY_HEADER, idempotencyKey);
    return headers;
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
    HeaderFlaw.in(message.headers())
        .ifPresent(
            flaw -> {
              throw refused(message, flaw.found(), flaw.fix());
            });
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
    if (!storable(text)) {
      throw refused(message, "its " + what + UNSTORABLE, STORABLE_FIX);
    }
  }

  static boolean storable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = Character.isHighSurrogate(c) && i + 1 < text.length();
      if (pair && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        return false;
      }
    }
    return true;
  }

  static void checkTime(String what, @Nullable Instant time, Message message) {
    if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
      throw refused(message, "its " + what + " is not between the years 1 and 9999", "correct it");
    }
  }

  static PublishException refused(Message message, String found, String fix) {
    String type =
        message.type().length() > MOST_CHARS
            ? message.type().substring(0, 40) + "…"
            : message.type();
    return new PublishException(
        "Message of type \"%s\" not published: %s; %s".formatted(type, found, fix));
  }
}
