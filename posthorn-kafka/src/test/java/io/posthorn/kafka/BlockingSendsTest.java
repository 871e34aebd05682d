/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Sends that fail before the producer has them. */
class BlockingSendsTest {
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "localhost:9092");

  private static Outgoing to(String topic) {
    return new Outgoing(
        UUID.randomUUID(),
        "order",
        topic,
        null,
        "k",
        Map.of(),
        "text/plain",
        new byte[1],
        Instant.EPOCH);
  }

  private static Throwable failure(CompletableFuture<?> sending) {
    Throwable failure = catchThrowable(() -> sending.get(5, TimeUnit.SECONDS));
    return failure == null ? null : failure.getCause();
  }

  @Test
  void anErrorOfTheFactoryEndsItsMessageAndTheTopicIsSentToAgain() {
    AtomicInteger calls = new AtomicInteger();
    try (KafkaSender sender =
        KafkaSender.using(
            SETTINGS,
            settings -> {
              if (calls.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("of the test");
              }
              return new MockProducer<>(
                  true, null, new StringSerializer(), new ByteArraySerializer());
            })) {
      assertThat(failure(sender.send(to("orders")).toCompletableFuture()))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("no Kafka producer could be made")
          .hasRootCauseInstanceOf(NoClassDefFoundError.class);
      assertThat(failure(sender.send(to("orders")).toCompletableFuture())).isNull();
    }
  }

  @Test
  void withoutAThreadItsMessagesFailAndTheTopicIsSentToAgain() {
    Deque<Error> errors = new ArrayDeque<>(List.of(new InternalError("no thread, of the test")));
    try (BlockingSends sends =
        new BlockingSends(
            (message, answer) -> answer.complete(null),
            task -> {
              if (!errors.isEmpty()) {
                throw errors.remove();
              }
              task.run();
            })) {
      CompletableFuture<Void> first = new CompletableFuture<>();
      sends.send(to("orders"), first);
      assertThat(failure(first))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("no thread, of the test");

      CompletableFuture<Void> second = new CompletableFuture<>();
      sends.send(to("orders"), second);
      assertThat(failure(second)).isNull();
    }
  }

  @Test
  void whatOneSendThrowsEndsThatMessageOnly() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    Outgoing broken = to("orders");
    try (BlockingSends sends =
        new BlockingSends(
            (message, answer) -> {
              if (message.id().equals(broken.id())) {
                throw new NoClassDefFoundError("of the test");
              }
              answer.complete(null);
            },
            tasks::add)) {
      CompletableFuture<Void> first = new CompletableFuture<>();
      CompletableFuture<Void> second = new CompletableFuture<>();
      sends.send(broken, first);
      sends.send(to("orders"), second);
      tasks.remove().run();

      assertThat(failure(first)).isInstanceOf(NoClassDefFoundError.class);
      assertThat(failure(second)).isNull();
    }
  }
}
