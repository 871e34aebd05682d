/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import io.posthorn.servers.KafkaServer;
import io.posthorn.spi.Outgoing;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the contract of senders does not ask for. */
class KafkaSenderTest {
  private final KafkaServer server = Topic.broker();
  private final KafkaSender sender =
      KafkaSender.connect(
          Map.of("bootstrap.servers", server.bootstrapServers(), "max.block.ms", 5_000));

  @AfterEach
  void close() {
    sender.close();
  }

  private static Outgoing message(String topic) {
    return message(topic, "k", 1);
  }

  private static Outgoing message(String topic, String key, int bytes) {
    return new Outgoing(
        UUID.randomUUID(),
        "order",
        topic,
        null,
        key,
        Map.of(),
        "text/plain",
        "1".repeat(bytes).getBytes(UTF_8),
        Instant.EPOCH);
  }

  private Throwable failure(Outgoing message) {
    return failure(sender, message);
  }

  private static Throwable failure(KafkaSender sender, Outgoing message) {
    return failure(sender.send(message));
  }

  private static Throwable failure(CompletionStage<?> sending) {
    Throwable failure =
        catchThrowable(() -> sending.toCompletableFuture().get(20, TimeUnit.SECONDS));
    return failure == null ? null : failure.getCause();
  }

  @Test
  void aTopicThatDoesNotExistIsUnavailableAndTheOthersAreNot() throws Exception {
    assertThat(failure(message("no-such-topic")))
        .asInstanceOf(type(DestinationDownException.class))
        .satisfies(down -> assertThat(down.destination()).contains("no-such-topic"))
        .extracting(Throwable::getMessage, as(STRING))
        .contains("Kafka has no topic \"no-such-topic\"");

    Topic topic = Topic.create(server, Map.of());
    assertThat(failure(message(topic.name()))).isNull();
  }

  /** Each of them would block for the five seconds of max.block.ms. */
  @Test
  @Timeout(30)
  void aTopicThatDoesNotExistHoldsUpOneMessageOnly() {
    assertThat(IntStream.range(0, 100).mapToObj(i -> failure(message("neither-this-one"))))
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .hasMessageContaining("Kafka has no topic \"neither-this-one\""));
  }

  /** Finding out that a topic is missing blocks for the five seconds of max.block.ms. */
  @Test
  @Timeout(30)
  void aTopicThatDoesNotExistDoesNotBlockMessagesToOthers() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    assertThat(failure(message(topic.name()))).isNull();
    CompletableFuture<?> missing = sender.send(message("nor-that-one")).toCompletableFuture();

    assertThat(failure(message(topic.name()))).isNull();
    assertThat(missing).isNotDone();
    assertThat(catchThrowable(() -> missing.get(20, TimeUnit.SECONDS)))
        .hasCauseInstanceOf(DestinationDownException.class);
  }

  @Test
  void aTopicNameThatCannotBeIsRefusedForGood() {
    assertThat(failure(message("no topic!")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no topic!");
  }

  @Test
  void aRecordThatTheTopicCannotKeepIsRefusedForGood() throws Exception {
    Topic compacted = Topic.create(server, Map.of("cleanup.policy", "compact"));

    assertThat(failure(message(compacted.name(), null, 1)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("InvalidRecordException");
    assertThat(failure(message(compacted.name()))).isNull();
  }

  @Test
  void withoutMemoryForFurtherRecordsTheBrokerIsDown() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender small =
        KafkaSender.connect(
            Map.of(
                "bootstrap.servers",
                server.bootstrapServers(),
                "buffer.memory",
                50_000,
                "batch.size",
                1_000,
                "max.block.ms",
                500))) {
      assertThat(failure(small, message(topic.name()))).isNull();
      server.freeze();
      try {
        CompletionStage<?> first = small.send(message(topic.name(), "k", 40_000));
        assertThat(failure(small, message(topic.name(), "k", 40_000)))
            .asInstanceOf(type(DestinationDownException.class))
            .satisfies(down -> assertThat(down.destination()).isEmpty())
            .extracting(Throwable::getMessage, as(STRING))
            .contains("BufferExhaustedException");
        server.thaw();
        assertThat(failure(first)).isNull();
      } finally {
        server.thaw();
      }
    }
  }

  @Test
  void afterItWasClosedItIsDown() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    sender.close();

    assertThat(catchThrowable(() -> sender.send(message(topic.name()))))
        .isInstanceOf(DestinationDownException.class);
    assertThat(topic.read(0, Duration.ofSeconds(10))).isEmpty();
  }
}
