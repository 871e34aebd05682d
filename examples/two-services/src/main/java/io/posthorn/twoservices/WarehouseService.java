/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.KafkaMessageId;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Takes ordered items out of stock. Doing so twice would be wrong, and nothing in its tables would
 * hinder it: the inbox does.
 */
public final class WarehouseService {
  private static final String CONSUMER = "warehouse";

  private final HikariDataSource dataSource;
  private final JdbcTransactions transactions;
  private final Inbox inbox;

  private WarehouseService(HikariDataSource dataSource) {
    this.dataSource = dataSource;
    this.transactions = new JdbcTransactions(dataSource);
    this.inbox = Inbox.on(InboxTable.builder(dataSource).createTables(true).build(), transactions);
  }

  static final String TABLES =
      """
      CREATE TABLE IF NOT EXISTS stock (item text PRIMARY KEY, taken bigint NOT NULL);
      CREATE TABLE IF NOT EXISTS taken_orders (order_id bigint NOT NULL);
      CREATE TABLE IF NOT EXISTS received (records int NOT NULL)
      """;

  private static final String TAKE =
      """
      INSERT INTO stock (item, taken) VALUES (?, ?)
      ON CONFLICT (item) DO UPDATE SET taken = stock.taken + excluded.taken
      """;

  /** Runs until its input ends. */
  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource dataSource = Service.connect(arguments[0], 4)) {
      new WarehouseService(dataSource).run(arguments[1]);
    }
  }

  private void run(String brokers) throws Exception {
    Service.execute(dataSource, TABLES);
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", brokers,
                "group.id", CONSUMER,
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false",
                // One that was killed is missed after this time.
                "session.timeout.ms", "6000",
                "metadata.max.age.ms", "1000"),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      Thread main = Thread.currentThread();
      Thread stopping =
          new Thread(
              () -> {
                Service.awaitEndOfInput();
                consumer.wakeup();
              },
              "stopping-" + main.getName());
      stopping.setDaemon(true);
      stopping.start();
      consumer.subscribe(List.of(OrderPlaced.TOPIC));
      consume(consumer);
    }
  }

  private void consume(KafkaConsumer<String, byte[]> consumer) throws Exception {
    try {
      while (true) {
        ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofSeconds(1));
        if (!records.isEmpty()) {
          Service.execute(dataSource, "INSERT INTO received VALUES (" + records.count() + ")");
          // In one transaction with what the action does. Killed before the offsets are committed,
          // the next one gets these records again, and the inbox passes them over.
          inbox.onceEach(CONSUMER, records, KafkaMessageId::of, this::take);
          consumer.commitSync();
        }
      }
    } catch (WakeupException stop) {
      // The consumer is closed by the caller.
    }
  }

  private void take(List<ConsumerRecord<String, byte[]>> records) throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    try (PreparedStatement stock = connection.prepareStatement(TAKE);
        PreparedStatement taken =
            connection.prepareStatement("INSERT INTO taken_orders VALUES (?)")) {
      for (ConsumerRecord<String, byte[]> record : records) {
        OrderPlaced order = JsonMapper.shared().readValue(record.value(), OrderPlaced.class);
        stock.setString(1, order.item());
        stock.setInt(2, order.amount());
        stock.addBatch();
        taken.setLong(1, order.id());
        taken.addBatch();
      }
      stock.executeBatch();
      taken.executeBatch();
    }
  }
}
