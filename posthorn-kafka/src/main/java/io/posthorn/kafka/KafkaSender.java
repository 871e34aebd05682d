/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.util.Objects.requireNonNull;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

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
  private final MissingTopics missingTopics = new MissingTopics(ticker);
  private final BlockingSends topics = new BlockingSends(this::send);
  private volatile long lastConfirmed = ticker.nanos();

  private KafkaSender(
      ProducerSettings settings, Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    this.settings = settings;
    this.producers = new TopicProducers(settings.asMap(), factory);
    this.batchBytes = settings.batchBytes();
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
   *     serialisers for text and bytes. Called for each topic (up to 16 times), and again when
   *     Kafka has given a producer up
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
    if (missingTopics.contains(topic)) {
      return CompletableFuture.failedFuture(SendFailure.missingTopic(topic, null));
    }
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (topics.isProven(topic) && hasRoom(message)) {
      send(message, answer);
    } else {
      topics.send(message, answer);
    }
    return answer;
  }

  /** Whether the producer takes it at once. The factor leaves room for headers and the record. */
  private boolean hasRoom(Outgoing message) {
    byte[] payload = message.payload();
    int bytes = payload == null ? 0 : payload.length;
    return producers.of(message.destination()).current().freeBytes()
        > 2.0 * Math.max(batchBytes, bytes);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
  private void send(Outgoing message, CompletableFuture<Void> answer) {
    String topic = message.destination();
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(topic, message.key(), message.payload());
    Headers headers = record.headers();
    message
        .headers()
        .forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
    Sent sent;
    try {
      ReplaceableProducer producer = producers.of(topic);
      ProducerInUse inUse = producer.current();
      sent = new Sent(topic, producer, inUse, ticker.nanos(), inUse.heard());
    } catch (DestinationDownException e) {
      answer.completeExceptionally(e);
      return;
    }
    try {
      sent.by
          .producer()
          .send(
              record,
              (metadata, failure) -> {
                if (failure == null) {
                  confirmed(topic);
                  answer.complete(null);
                } else {
                  int partition = metadata == null ? -1 : metadata.partition();
                  answer.completeExceptionally(told(sent, partition, failure));
                }
              });
    } catch (RuntimeException e) {
      answer.completeExceptionally(told(sent, -1, e));
    } catch (Error e) { // of this message only; nobody else is told by this thread
      answer.completeExceptionally(e);
    }
  }

  private void confirmed(String topic) {
    long now = ticker.nanos();
    lastConfirmed = now;
    topics.confirmed(topic, now);
    missingTopics.remove(topic);
  }

  private Exception told(Sent sent, int partition, Exception failure) {
    String topic = sent.topic;
    if (SendFailure.endsProducer(failure)) {
      sent.producer.giveUp(sent.by);
    }
    if (SendFailure.isMissingTopic(failure)) {
      missingTopics.add(topic);
      topics.doubt(topic);
    }
    boolean ofPartition = partition >= 0 && topics.confirmedSince(topic, sent.at);
    return SendFailure.told(
        topic,
        ofPartition ? topic + "-" + partition : topic,
        failure,
        lastConfirmed - sent.at > 0 || sent.kafkaAnswers());
  }

  /**
   * A message that was handed to a producer.
   *
   * @param by what the producer was then
   * @param heardBefore what the producer had heard from Kafka then
   */
  private record Sent(
      String topic, ReplaceableProducer producer, ProducerInUse by, long at, double heardBefore) {
    boolean kafkaAnswers() {
      return by.heard() > heardBefore;
    }
  }

  /** A send may block before the message is on its way, which then has its own time. */
  @Override
  public Duration timeout() {
    return settings.maxBlock().plus(settings.deliveryTimeout());
  }

  /** Closes the producers. What is under way then ends as if the broker were down. */
  @Override
  public void close() {
    try {
      producers.close();
    } finally {
      topics.close();
    }
  }
}
