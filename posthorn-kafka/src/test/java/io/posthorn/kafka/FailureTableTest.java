/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table "Kafka says" of docs/brokers.md, line by line. What a broker can be made to say is also
 * shown on a real one, by {@link KafkaSenderTest}, {@link KafkaDeliveryDbTest}, {@link
 * KafkaTopicChangesDbTest} and {@link KafkaClusterDbTest}.
 */
class FailureTableTest {
  private static final String TOPIC = "orders";

  /** What a relay makes of a failure. */
  private enum Kind {
    REFUSED_FOR_GOOD,
    REFUSED_THIS_TIME,
    PARTITION_UNAVAILABLE,
    TOPIC_UNAVAILABLE,
    BROKER_UNAVAILABLE;

    static Kind of(Throwable failure) {
      if (failure instanceof RefusedException) {
        return REFUSED_FOR_GOOD;
      }
      if (!(failure instanceof DestinationDownException down)) {
        return REFUSED_THIS_TIME;
      }
      return down.destination()
          .map(what -> what.equals(TOPIC) ? TOPIC_UNAVAILABLE : PARTITION_UNAVAILABLE)
          .orElse(BROKER_UNAVAILABLE);
    }
  }

  /** What Kafka has confirmed or said between the sending of a message and its failure. */
  private enum Meanwhile {
    NOTHING,
    SOMETHING_ELSE,
    ANOTHER_TOPIC,
    THE_SAME_TOPIC
  }

  /**
   * @param line the first column of the table
   */
  private record Row(String line, Throwable thrown, Meanwhile meanwhile, Kind kind) {}

  private static Stream<Row> always(String line, Kind kind, Throwable... thrown) {
    return Stream.of(thrown)
        .flatMap(
            one ->
                Stream.of(Meanwhile.values())
                    .map(meanwhile -> new Row(line, one, meanwhile, kind)));
  }

  private static Stream<Row> byWhatKafkaSaysMeanwhile(String line, Throwable... thrown) {
    return Stream.of(thrown)
        .flatMap(
            one ->
                Stream.of(
                    new Row(line, one, Meanwhile.NOTHING, Kind.BROKER_UNAVAILABLE),
                    new Row(line, one, Meanwhile.SOMETHING_ELSE, Kind.TOPIC_UNAVAILABLE),
                    new Row(line, one, Meanwhile.ANOTHER_TOPIC, Kind.TOPIC_UNAVAILABLE),
                    new Row(line, one, Meanwhile.THE_SAME_TOPIC, Kind.PARTITION_UNAVAILABLE)));
  }

  static List<Row> rows() {
    return Stream.of(
            always(
                "`RecordTooLargeException`, `RecordBatchTooLargeException`, `InvalidTopicException`, `InvalidRecordException`, `PolicyViolationException`, `SerializationException`",
                Kind.REFUSED_FOR_GOOD,
                new RecordTooLargeException("2 MB"),
                new RecordBatchTooLargeException("2 MB"),
                new InvalidTopicException("no topic!"),
                new InvalidRecordException("no key"),
                new PolicyViolationException("never"),
                new SerializationException("never")),
            always(
                "`TopicAuthorizationException`",
                Kind.TOPIC_UNAVAILABLE,
                new TopicAuthorizationException(Set.of(TOPIC))),
            always(
                "the topic does not exist",
                Kind.TOPIC_UNAVAILABLE,
                new UnknownTopicOrPartitionException("gone"),
                new TimeoutException("no metadata", new UnknownTopicOrPartitionException("gone"))),
            byWhatKafkaSaysMeanwhile(
                "no memory for a record within `max.block.ms` (`buffer.memory`)",
                new BufferExhaustedException("full")),
            always(
                "`AuthenticationException`, `ClusterAuthorizationException` (grant IDEMPOTENT_WRITE)",
                Kind.BROKER_UNAVAILABLE,
                new SaslAuthenticationException("who are you?"),
                new ClusterAuthorizationException("no")),
            always(
                "a producer that was fenced or has ended (`OutOfOrderSequenceException`, `UnknownProducerIdException`, `InvalidProducerEpochException`)",
                Kind.TOPIC_UNAVAILABLE,
                new ProducerFencedException("another one"),
                new InvalidProducerEpochException("old"),
                new OutOfOrderSequenceException("5 after 3"),
                new UnknownProducerIdException("who are you?"),
                new KafkaException("the producer was closed"),
                new IllegalStateException("the producer was closed")),
            always(
                "an `Error`, or anything else",
                Kind.REFUSED_THIS_TIME,
                new NoClassDefFoundError("broken"),
                new ApiException("never heard of"),
                new IllegalArgumentException("of an interceptor")),
            byWhatKafkaSaysMeanwhile(
                "another retriable failure, or no answer within `delivery.timeout.ms`",
                new TimeoutException("expired"),
                new NetworkException("cut"),
                new NotLeaderOrFollowerException("moved")),
            Stream.of(Meanwhile.values())
                .flatMap(
                    meanwhile ->
                        Stream.of(
                                new NotEnoughReplicasException("1 of 2"),
                                new NotEnoughReplicasAfterAppendException("1 of 2"))
                            .map(
                                thrown ->
                                    new Row(
                                        "`NotEnoughReplicasException` (fewer in-sync replicas than `min.insync.replicas`), after `delivery.timeout.ms`",
                                        thrown,
                                        meanwhile,
                                        meanwhile == Meanwhile.THE_SAME_TOPIC
                                            ? Kind.PARTITION_UNAVAILABLE
                                            : Kind.TOPIC_UNAVAILABLE))))
        .flatMap(rows -> rows)
        .toList();
  }

  /** A producer whose answers are the test's. */
  private static final class AskedProducer extends MockProducer<String, byte[]> {
    final BlockingQueue<Callback> unanswered = new LinkedBlockingQueue<>();
    volatile Error error;
    volatile double bytesIn;

    AskedProducer() {
      super(false, null, new StringSerializer(), new ByteArraySerializer());
      MetricName name = new MetricName("incoming-byte-total", "producer-metrics", "", Map.of());
      setMockMetrics(
          name,
          new Metric() {
            @Override
            public MetricName metricName() {
              return name;
            }

            @Override
            public Object metricValue() {
              return bytesIn;
            }
          });
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<String, byte[]> record, Callback callback) {
      if (error != null) {
        throw error;
      }
      unanswered.add(callback);
      return new CompletableFuture<>();
    }

    Callback next() throws InterruptedException {
      return unanswered.poll(10, TimeUnit.SECONDS);
    }
  }

  private final AskedProducer producer = new AskedProducer();

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

  private static RecordMetadata place(String topic) {
    return new RecordMetadata(new TopicPartition(topic, 1), 0, 0, 0, 1, 1);
  }

  private void confirm(KafkaSender sender, String topic) throws Exception {
    CompletableFuture<?> sent = sender.send(to(topic)).toCompletableFuture();
    producer.next().onCompletion(place(topic), null);
    sent.get(10, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void whatKafkaSaysIsOfTheKindThatTheTableGives(Row row) throws Exception {
    try (KafkaSender sender =
        KafkaSender.using(Map.of("bootstrap.servers", "localhost:9092"), settings -> producer)) {
      confirm(sender, TOPIC);
      assertThat(Kind.of(failure(sender, row))).isEqualTo(row.kind);
    }
  }

  private Throwable failure(KafkaSender sender, Row row) throws Exception {
    CompletableFuture<?> failing;
    if (row.thrown instanceof Error error) {
      producer.error = error;
      failing = sender.send(to(TOPIC)).toCompletableFuture();
    } else {
      failing = sender.send(to(TOPIC)).toCompletableFuture();
      Callback answer = producer.next();
      switch (row.meanwhile) {
        case NOTHING -> {}
        case SOMETHING_ELSE -> producer.bytesIn = 100;
        case ANOTHER_TOPIC -> confirm(sender, "others");
        case THE_SAME_TOPIC -> confirm(sender, TOPIC);
      }
      answer.onCompletion(place(TOPIC), (Exception) row.thrown);
    }
    Throwable failure = failing.handle((any, thrown) -> thrown).get(10, TimeUnit.SECONDS);
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  @Test
  void eachLineOfTheTableIsTested() throws IOException {
    Set<String> table =
        Files.readAllLines(Path.of("..", "docs", "brokers.md")).stream()
            .dropWhile(line -> !line.startsWith("| Kafka says |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(line -> line.substring(1, line.indexOf('|', 1)).strip())
            .collect(Collectors.toCollection(LinkedHashSet::new));

    assertThat(table).isNotEmpty();
    assertThat(rows().stream().map(Row::line).collect(Collectors.toSet())).isEqualTo(table);
  }
}
