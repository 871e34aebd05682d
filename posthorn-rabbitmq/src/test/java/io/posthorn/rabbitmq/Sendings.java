/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What tests send, and what becomes of it. */
final class Sendings {
  static final Duration LIMIT = Duration.ofSeconds(20);

  private Sendings() {}

  static Outgoing small(String exchange) {
    return ofBytes(exchange, 1);
  }

  /** Goes alone. */
  static Outgoing large(String exchange) {
    return ofBytes(exchange, 256 * 1024);
  }

  private static Outgoing ofBytes(String exchange, int bytes) {
    return new Outgoing(
        UUID.randomUUID(),
        "order",
        exchange,
        null,
        "k",
        Map.of(),
        "text/plain",
        "x".repeat(bytes).getBytes(UTF_8),
        Instant.EPOCH);
  }

  /** Null if it was confirmed. */
  static Throwable outcome(CompletionStage<?> sending) throws Exception {
    Throwable failure =
        sending
            .handle((any, thrown) -> thrown)
            .toCompletableFuture()
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  static Consumer<Throwable> unavailable(String exchange) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                DestinationDownException.class,
                down -> assertThat(down.destination()).contains(exchange));
  }
}
