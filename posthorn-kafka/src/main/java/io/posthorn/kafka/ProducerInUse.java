/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;

/**
 * A producer, and how much it has heard from Kafka. A record that Kafka refuses for the time being
 * ends with the same exception as one to a cluster that is away: a timeout. What tells them apart
 * is whether any broker said anything meanwhile. Safe to share between threads.
 */
final class ProducerInUse {
  private final Producer<String, byte[]> producer;
  private final @Nullable Metric bytesIn; // null if the producer keeps no such count

  ProducerInUse(Producer<String, byte[]> producer) {
    this.producer = producer;
    this.bytesIn =
        producer.metrics().values().stream()
            .filter(ProducerInUse::isOfAllBrokers)
            .findFirst()
            .orElse(null);
  }

  private static boolean isOfAllBrokers(Metric metric) {
    return metric.metricName().name().equals("incoming-byte-total")
        && metric.metricName().group().equals("producer-metrics");
  }

  Producer<String, byte[]> producer() {
    return producer;
  }

  /** How many bytes brokers have sent so far: grows with each answer, whatever it is about. */
  double heard() {
    return bytesIn != null && bytesIn.metricValue() instanceof Number bytes
        ? bytes.doubleValue()
        : 0;
  }
}
