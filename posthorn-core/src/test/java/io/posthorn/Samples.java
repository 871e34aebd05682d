/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Messages as a store would return them. */
final class Samples {
  static final Instant OCCURRED = Instant.parse("2026-01-01T00:00:00Z");
  static final Instant CREATED = OCCURRED.plusSeconds(1);

  private Samples() {}

  static Envelope envelope(String type, String aggregateType) {
    return new Envelope(
        new UUID(1, 2),
        type,
        aggregateType,
        "order-1",
        "acme",
        Map.of("source", "web"),
        "application/json",
        "secret".getBytes(StandardCharsets.UTF_8),
        OCCURRED,
        null);
  }

  static Delivery delivery(int attempt) {
    return new Delivery(
        new StoredMessage(3, 42, envelope("order-placed", "order"), CREATED, null),
        "mailer",
        attempt,
        attempt > 1 ? "it was down" : null,
        5);
  }
}
