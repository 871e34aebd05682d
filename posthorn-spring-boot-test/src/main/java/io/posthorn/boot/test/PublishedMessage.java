/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message that was committed. Its payload is what handlers get: encoded, and decoded again.
 *
 * @since 0.1
 */
public final class PublishedMessage {
  private final Envelope envelope;
  private final Supplier<PayloadCodec> codec;

  PublishedMessage(Envelope envelope, Supplier<PayloadCodec> codec) {
    this.envelope = envelope;
    this.codec = codec;
  }

  public UUID id() {
    return envelope.id();
  }

  public String type() {
    return envelope.type();
  }

  /** Null if it stands in no order. */
  public @Nullable String key() {
    return envelope.key();
  }

  public @Nullable String tenant() {
    return envelope.tenant();
  }

  public Map<String, String> headers() {
    return envelope.headers();
  }

  /**
   * The payload, decoded; null is a tombstone.
   *
   * @param payloadClass {@code String} and {@code byte[]} are not decoded
   */
  public <P> @Nullable P payload(Class<P> payloadClass) {
    requireNonNull(payloadClass, "payloadClass");
    byte[] bytes = envelope.payload();
    if (bytes == null) {
      return null;
    }
    if (payloadClass == byte[].class) {
      return payloadClass.cast(bytes.clone());
    }
    if (payloadClass == String.class) {
      return payloadClass.cast(new String(bytes, StandardCharsets.UTF_8));
    }
    return codec.get().decode(bytes, payloadClass);
  }

  /** Names type, key and id; never the payload. */
  @Override
  public String toString() {
    return "PublishedMessage[type=%s, key=%s, id=%s]".formatted(type(), key(), id());
  }
}
