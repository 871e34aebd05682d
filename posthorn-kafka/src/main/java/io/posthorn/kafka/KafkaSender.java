/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Sends messages to Kafka: the destination is the topic, the key is the record's key, and a message
 * counts as delivered when all in-sync replicas have it. Safe to share between threads.
 *
 * <pre>{@code
 * try (var kafka = KafkaSender.connect(Map.of("bootstrap.servers", "localhost:9092"));
 *     var posthorn = Posthorn.inOneProcess(store, transactions)
 *         .sender("kafka", kafka)
 *         .route(Route.type("order-placed").to("kafka", "orders"))
 *         .start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>{@code acks=all} and idempotence are required, and set if nothing is said about them. A
 * message has {@code delivery.timeout.ms} (120 s by default), after which its topic is taken for
 * unavailable, or Kafka as a whole if no broker said anything meanwhile.
 *
 * <p>Each topic has a producer of its own, so that one that is stuck does not hold up the others;
 * from the 17th topic on, topics share producers. A {@code client.id} gets a number from the second
 * producer on.
 *
 * @since 0.1
 */
public final class KafkaSender implements Sender, AutoCloseable {
  private final ProducerSettings settings;
  private final TopicProducers producers;
  private final int batchBytes;
  private final Ticker ticker = Ticker.system();
  private final RecentAnswers answers = new RecentAnswers(ticker);
  private final WaitingSends sends;

  private KafkaSender(
      ProducerSettings settings, Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    this.settings = settings;
    this.producers = new TopicProducers(settings.withoutBlocking(), factory);
    this.batchBytes = settings.batchBytes();
    this.sends = new WaitingSends(settings.maxBlock(), ticker, WaitingSends.newThreads());
  }

  /**
   * A sender with producers of its own, which connect by themselves and may do so later.
   *
   * @param settings as of a Kafka producer; serialisers are not needed
   * @throws io.posthorn.ConfigurationException naming every setting with which messages could be
   *     lost or change their order
   */
  public static KafkaSender connect(Map<String, ?> settings) {
    return using(settings, KafkaProducer::new);
  }

  /**
   * A sender whose producers are made by the caller.
   *
   * @param factory makes a producer with the settings it is given: the checked ones, with
   *     serialisers for text and bytes, and a {@code max.block.ms} of 0, since the sender itself
   *     waits. Called for each topic (up to 16 times), and again when Kafka has given a producer up
   * @throws io.posthorn.ConfigurationException as of {@link #connect}
   */
  public static KafkaSender using(
      Map<String, ?> settings, Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    return new KafkaSender(ProducerSettings.of(settings), requireNonNull(factory, "factory"));
  }

  @Override
  public CompletionStage<?> send(Outgoing message) {
    String topic = message.destination();
    producers.checkOpen();
    if (answers.isMissing(topic)) {
      return CompletableFuture.failedFuture(SendFailure.missingTopic(topic, null));
    }
    byte[] payload = message.payload();
    int bytes = Math.max(batchBytes, payload == null ? 0 : payload.length);
    PendingSend send =
        new PendingSend(message, producers.of(topic), answers, ticker.nanos(), bytes);
    sends.send(send);
    return send.answer();
  }

  /** A message may wait before it is handed to its producer, which has its own time for it. */
  @Override
  public Duration timeout() {
    return settings.maxBlock().plus(settings.deliveryTimeout());
  }

  /** Closes the producers. What is under way then ends as unavailable. */
  @Override
  public void close() {
    try {
      producers.close();
    } finally {
      sends.close();
    }
  }
}
