/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.lang.System.Logger.Level.WARNING;
import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BATCH_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BOOTSTRAP_SERVERS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.PARTITIONER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import io.posthorn.ConfigurationException;
import io.posthorn.spi.LoggerSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Settings of a producer that loses nothing and changes no order. Immutable. */
final class ProducerSettings {
  private static final System.Logger LOG = LoggerSource.of(ProducerSettings.class.getName());

  /** Partitioners that came with some version of Kafka's client. */
  private static final Set<String> IGNORING_KEYS =
      Set.of(
          "org.apache.kafka.clients.producer.RoundRobinPartitioner",
          "org.apache.kafka.clients.producer.UniformStickyPartitioner");

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
    checkPartitioner(given, problems);
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
    if (problems.isEmpty()) {
      settings.checkAsKafkaDoes(problems);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return settings;
  }

  /** Messages of a key must go to one partition: Kafka keeps no order across partitions. */
  private static void checkPartitioner(Map<String, ?> given, List<String> problems) {
    if ("true".equals(String.valueOf(given.get(PARTITIONER_IGNORE_KEYS_CONFIG)))) {
      problems.add(
          "partitioner.ignore.keys was true but must be false, or messages of a key are spread over partitions and lose their order");
    }
    Object partitioner = given.get(PARTITIONER_CLASS_CONFIG);
    if (partitioner == null) {
      return;
    }
    String name = partitioner instanceof Class<?> type ? type.getName() : partitioner.toString();
    if (IGNORING_KEYS.contains(name.strip())) {
      problems.add(
          "partitioner.class was %s, which ignores keys: messages of a key would lose their order; leave it out"
              .formatted(name));
    } else {
      LOG.log(
          WARNING,
          "partitioner.class is {0}: the order of a key holds only if it puts all messages of a key into the same partition",
          name);
    }
  }

  /** What a producer would refuse only when it is made, with the first message. */
  private void checkAsKafkaDoes(List<String> problems) {
    try {
      ProducerConfig config = new ProducerConfig(asMap());
      long needed = config.getLong(LINGER_MS_CONFIG) + config.getInt(REQUEST_TIMEOUT_MS_CONFIG);
      if (config.getInt(DELIVERY_TIMEOUT_MS_CONFIG) < needed) {
        problems.add(
            "delivery.timeout.ms was %d but must be at least linger.ms + request.timeout.ms (%d)"
                .formatted(config.getInt(DELIVERY_TIMEOUT_MS_CONFIG), needed));
      }
    } catch (KafkaException e) {
      problems.add("Kafka refuses the settings of the producer: " + e.getMessage());
    }
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

  /** What a producer takes of its memory for the first record of a batch. */
  int batchBytes() {
    return new ProducerConfig(asMap()).getInt(BATCH_SIZE_CONFIG);
  }

  /** As {@link #asMap}, but whoever sends does not wait: {@link WaitingSends} does. */
  Map<String, Object> withoutBlocking() {
    Map<String, Object> settings = asMap();
    settings.put(MAX_BLOCK_MS_CONFIG, 0L);
    return settings;
  }

  /** A copy. */
  Map<String, Object> asMap() {
    return new HashMap<>(all);
  }
}
