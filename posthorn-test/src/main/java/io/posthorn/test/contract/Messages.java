/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Messages to put into stores. */
final class Messages {
  /** When they all occurred. */
  static final Instant OCCURRED_AT = Instant.parse("2026-03-29T00:59:59.123456Z");

  private static final byte[] EMPTY = {};

  private Messages() {}

  static NewMessage keyed(int partition, String key) {
    return new NewMessage(partition, envelope(key, "{}".getBytes(StandardCharsets.UTF_8), null));
  }

  static NewMessage keyless(int partition) {
    return new NewMessage(partition, envelope(null, null, null));
  }

  static NewMessage expiring(int partition, Instant expiresAt) {
    return new NewMessage(partition, envelope("order-1", null, expiresAt));
  }

  static NewMessage withPayload(byte @Nullable [] payload) {
    return new NewMessage(0, envelope("order-1", payload, null));
  }

  static NewMessage sized(int partition, int bytes) {
    return new NewMessage(partition, envelope("order-1", new byte[bytes], null));
  }

  static NewMessage withHeader(int partition, int length) {
    return new NewMessage(
        partition, named("order-1", Map.of("note", "x".repeat(length))).envelope());
  }

  static List<NewMessage> many(int count, int partition) {
    return IntStream.range(0, count).mapToObj(i -> keyed(partition, "order-" + i)).toList();
  }

  /** A message with something in each field. */
  static NewMessage full(int partition, String text, Instant occurredAt, Instant expiresAt) {
    return new NewMessage(
        partition,
        new Envelope(
            UUID.randomUUID(),
            "order-placed",
            "order " + text,
            "key " + text,
            "tenant " + text,
            Map.of("header " + text, text, "empty", ""),
            "application/json; charset=utf-8",
            text.getBytes(StandardCharsets.UTF_8),
            occurredAt,
            expiresAt));
  }

  /** A message whose names are all the same text. */
  static NewMessage named(String name, Map<String, String> headers) {
    return new NewMessage(
        0,
        new Envelope(
            UUID.randomUUID(), name, name, name, name, headers, name, EMPTY, OCCURRED_AT, null));
  }

  // NullAway does not find the annotation on the array in a class file.
  @SuppressWarnings("NullAway")
  private static Envelope envelope(
      @Nullable String key, byte @Nullable [] payload, @Nullable Instant expiresAt) {
    return new Envelope(
        UUID.randomUUID(),
        "order-placed",
        null,
        key,
        null,
        Map.of(),
        "application/json",
        payload,
        OCCURRED_AT,
        expiresAt);
  }
}
