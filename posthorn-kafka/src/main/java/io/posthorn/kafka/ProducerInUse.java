/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A producer, how much it has heard from Kafka, and how much memory it has left. A record that
 * Kafka refuses for the time being ends with the same exception as one to a cluster that is away: a
 * timeout. What tells them apart is whether any broker said anything meanwhile. Safe to share
 * between threads.
 */
final class ProducerInUse {
  private final Producer<String, byte[]> producer;
  private final @Nullable Metric bytesIn; // null if the producer keeps no such count
  private final @Nullable Metric bytesFree; // likewise

  ProducerInUse(Producer<String, byte[]> producer) {
    this.producer = producer;
    this.bytesIn = metric(producer, "incoming-byte-total"); // of all brokers
    this.bytesFree = metric(producer, "buffer-available-bytes");
  }

  private static @Nullable Metric metric(Producer<String, byte[]> producer, String name) {
    return producer.metrics().values().stream()
        .filter(metric -> metric.metricName().name().equals(name))
        .filter(metric -> metric.metricName().group().equals("producer-metrics"))
        .findFirst()
        .orElse(null);
  }

  Producer<String, byte[]> producer() {
    return producer;
  }

  /** How many bytes brokers have sent so far: grows with each answer, whatever it is about. */
  double heard() {
    return value(bytesIn, 0);
  }

  /**
   * Why it cannot take a record at once: a {@link TimeoutException} if that may change. Null if it
   * probably can. Does not block, and asks brokers for the topic's partitions if they are unknown.
   */
  @Nullable RuntimeException refusal(String topic, int bytes) {
    try {
      producer.partitionsFor(topic);
    } catch (RuntimeException e) {
      return e;
    }
    return value(bytesFree, Double.MAX_VALUE) >= bytes
        ? null
        : new BufferExhaustedException("no memory for " + bytes + " bytes");
  }

  private static double value(@Nullable Metric metric, double otherwise) {
    return metric != null && metric.metricValue() instanceof Number number
        ? number.doubleValue()
        : otherwise;
  }
}
