/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * To Kafka, without waiting in between: what is refused, or times out, would lose its place among
 * those of its key.
 */
final class KafkaLimitSink implements LimitSink {
  private final KafkaProducer<String, byte[]> producer;
  private final Consumer<Order> handler;
  private volatile @Nullable Exception failure;

  /**
   * @param handler told of what has arrived
   */
  KafkaLimitSink(Map<String, Object> settings, Consumer<Order> handler) {
    this.producer =
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer());
    this.handler = handler;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
  public void take(UUID id, Order order, byte[] payload) {
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(KafkaTopic.NAME, order.keyText(), payload);
    record.headers().add("id", id.toString().getBytes(UTF_8));
    record.headers().add("type", "order-placed".getBytes(UTF_8));
    producer.send(
        record,
        (metadata, failed) -> {
          if (failed == null) {
            handler.accept(order);
          } else {
            failure = failed;
          }
        });
  }

  @Override
  public void flush() {
    producer.flush();
    Exception failed = failure;
    if (failed != null) {
      throw new IllegalStateException("Kafka did not take a message", failed);
    }
  }

  @Override
  public void close() {
    producer.close();
  }
}
