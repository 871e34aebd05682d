/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BATCH_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BOOTSTRAP_SERVERS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import io.posthorn.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Settings of a producer that loses nothing and changes no order. Immutable. */
final class ProducerSettings {
  private static final long DEFAULT_DELIVERY_TIMEOUT = Duration.ofMinutes(2).toMillis();

  /** Kafka's own default of a minute would let a worker wait that long before the circuit opens. */
  private static final long DEFAULT_MAX_BLOCK = Duration.ofSeconds(10).toMillis();

  /**
   * Four times Kafka's own, with which a batch of 500 messages takes some twenty requests to a
   * partition's broker.
   */
  private static final int DEFAULT_BATCH_SIZE = 64 * 1024;

  private final Map<String, Object> all;

  private ProducerSettings(Map<String, Object> all) {
    this.all = all;
  }

  /**
   * @throws ConfigurationException naming every problem
   */
  static ProducerSettings of(Map<String, ?> given) {
    List<String> problems = new ArrayList<>();
    String acks = String.valueOf(given.containsKey(ACKS_CONFIG) ? given.get(ACKS_CONFIG) : "all");
    if (!acks.equals("all") && !acks.equals("-1")) {
      problems.add(
          "acks was %s but must be all, or a broker that fails takes confirmed messages with it"
              .formatted(acks));
    }
    if ("false".equals(String.valueOf(given.get(ENABLE_IDEMPOTENCE_CONFIG)))) {
      problems.add(
          "enable.idempotence was false but must be true, or a retry repeats messages and changes their order");
    }
    if (given.get(TRANSACTIONAL_ID_CONFIG) != null) {
      problems.add(
          "transactional.id was set but messages are sent without Kafka transactions; leave it out for this producer");
    }
    if (given.get(BOOTSTRAP_SERVERS_CONFIG) == null) {
      problems.add("bootstrap.servers was not set; name at least one broker as host:port");
    }
    Map<String, Object> all = new HashMap<>(given);
    all.put(ACKS_CONFIG, "all");
    all.put(ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    all.put(VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.putIfAbsent(MAX_BLOCK_MS_CONFIG, DEFAULT_MAX_BLOCK);
    // Messages come in batches, and the next one of a key waits for the answer.
    all.putIfAbsent(LINGER_MS_CONFIG, 0);
    all.putIfAbsent(BATCH_SIZE_CONFIG, DEFAULT_BATCH_SIZE);
    ProducerSettings settings = new ProducerSettings(all);
    settings.checkTime(DELIVERY_TIMEOUT_MS_CONFIG, DEFAULT_DELIVERY_TIMEOUT, problems);
    settings.checkTime(MAX_BLOCK_MS_CONFIG, DEFAULT_MAX_BLOCK, problems);
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return settings;
  }

  private void checkTime(String name, long standard, List<String> problems) {
    try {
      if (millis(name, standard) < 0) {
        problems.add(name + " was negative but must be at least 0");
      }
    } catch (NumberFormatException e) {
      problems.add(name + " was \"" + all.get(name) + "\" but must be a number of milliseconds");
    }
  }

  private long millis(String name, long standard) {
    Object value = all.get(name);
    return value == null ? standard : Long.parseLong(String.valueOf(value).strip());
  }

  Duration deliveryTimeout() {
    return Duration.ofMillis(millis(DELIVERY_TIMEOUT_MS_CONFIG, DEFAULT_DELIVERY_TIMEOUT));
  }

  Duration maxBlock() {
    return Duration.ofMillis(millis(MAX_BLOCK_MS_CONFIG, DEFAULT_MAX_BLOCK));
  }

  /** A copy. */
  Map<String, Object> asMap() {
    return new HashMap<>(all);
  }
}
