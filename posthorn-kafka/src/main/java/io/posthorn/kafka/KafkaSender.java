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
 * @since 0.1
 */
public final class KafkaSender implements Sender, AutoCloseable {
  private final ProducerSettings settings;
  private final Producers producers;
  private final Ticker ticker = Ticker.system();
  private final MissingTopics missingTopics = new MissingTopics(ticker);
  private final UnprovenTopics topics = new UnprovenTopics(this::send);
  private volatile long lastConfirmed = ticker.nanos();

  private KafkaSender(
      ProducerSettings settings, Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    this.settings = settings;
    this.producers = new Producers(() -> factory.apply(settings.asMap()));
  }

  /**
   * A sender with a producer of its own, which connects by itself and may do so later.
   *
   * @param settings as of a Kafka producer; serialisers are not needed
   * @throws io.posthorn.ConfigurationException naming every setting with which messages could be
   *     lost or change their order
   */
  public static KafkaSender connect(Map<String, ?> settings) {
    return using(settings, KafkaProducer::new);
  }

  /**
   * A sender whose producer is made by somebody else.
   *
   * @param factory makes a producer with the settings it is given: the checked ones, with
   *     serialisers for text and bytes. Called again when Kafka has given a producer up
   * @throws io.posthorn.ConfigurationException as of {@link #connect}
   */
  public static KafkaSender using(
      Map<String, ?> settings, Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    return new KafkaSender(ProducerSettings.of(settings), requireNonNull(factory, "factory"));
  }

  @Override
  public CompletionStage<?> send(Outgoing message) {
    String topic = message.destination();
    producers.current(); // throws if the sender was closed
    if (missingTopics.contains(topic)) {
      return CompletableFuture.failedFuture(SendFailure.missingTopic(topic, null));
    }
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (topics.isProven(topic)) {
      send(message, answer);
    } else {
      topics.send(message, answer);
    }
    return answer;
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
      ProducerInUse producer = producers.current();
      sent = new Sent(topic, producer, ticker.nanos(), producer.heard());
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
      producers.giveUp(sent.by);
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
   * @param heardBefore what the producer had heard from Kafka then
   */
  private record Sent(String topic, ProducerInUse by, long at, double heardBefore) {
    boolean kafkaAnswers() {
      return by.heard() > heardBefore;
    }
  }

  /** A send may block before the message is on its way, which then has its own time. */
  @Override
  public Duration timeout() {
    return settings.maxBlock().plus(settings.deliveryTimeout());
  }

  /** Closes the producer. What is under way then ends as if the broker were down. */
  @Override
  public void close() {
    producers.close();
    topics.close();
  }
}
