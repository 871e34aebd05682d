/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.KafkaMessageId;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Consumers of the topic that the relay sends to. Each message's effect is a row, written through
 * the inbox. They fail before and after it, and before they tell the broker.
 */
final class TopicConsumers {
  static final String TOPIC = "chaos";

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TELL_PATIENCE = Duration.ofSeconds(5);
  private static final long PAUSE_AFTER_FAILURE = 200_000_000;
  private static final int FAILS_ONCE_OF = 300;

  private final InstanceSettings settings;
  private final JdbcTransactions transactions;
  private final Inbox inbox;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  TopicConsumers(InstanceSettings settings, DataSource dataSource, JdbcTransactions transactions) {
    this.settings = settings;
    this.transactions = transactions;
    this.inbox = Inbox.on(InboxTable.on(dataSource), transactions);
  }

  /** Starts one for each name, if there is a broker. */
  void start() {
    for (String consumer : ChaosTables.CONSUMERS) {
      if (!settings.broker().isEmpty()) {
        Random random = new Random(settings.seed() * 17 + consumer.hashCode());
        Thread thread = new Thread(() -> consume(consumer, random), "consumer-" + consumer);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
      }
    }
  }

  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void consume(String consumer, Random random) {
    while (!stopped) {
      try (KafkaConsumer<byte[], byte[]> topic = connect(consumer)) {
        topic.subscribe(List.of(TOPIC));
        while (!stopped) {
          handle(consumer, topic.poll(POLL), random);
          failAtTimes(random);
          topic.commitSync(TELL_PATIENCE);
        }
      } catch (SQLException | RuntimeException e) { // as planned, or something is away
        System.err.println("consumer \"" + consumer + "\": " + e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
      }
    }
  }

  private KafkaConsumer<byte[], byte[]> connect(String consumer) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers", settings.broker(),
            "group.id", consumer,
            "enable.auto.commit", "false",
            "auto.offset.reset", "earliest",
            "session.timeout.ms", "6000",
            "heartbeat.interval.ms", "1000",
            "fetch.max.bytes", "4000000",
            "max.poll.records", "50"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private void handle(String consumer, ConsumerRecords<byte[], byte[]> records, Random random)
      throws SQLException {
    if (consumer.equals(ChaosTables.BATCH_CONSUMER)) {
      inbox.onceEach(consumer, records, KafkaMessageId::of, fresh -> take(consumer, fresh, random));
      return;
    }
    for (ConsumerRecord<byte[], byte[]> record : records) {
      inbox.once(
          consumer, KafkaMessageId.of(record), () -> take(consumer, List.of(record), random));
    }
  }

  private void take(String consumer, List<ConsumerRecord<byte[], byte[]>> records, Random random)
      throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      failAtTimes(random);
      ChaosTables.insertConsumed(connection, consumer, UUID.fromString(KafkaMessageId.of(record)));
      failAtTimes(random);
    }
  }

  private static void failAtTimes(Random random) {
    if (random.nextInt(FAILS_ONCE_OF) == 0) {
      throw new IllegalStateException("fails, as planned");
    }
  }
}
