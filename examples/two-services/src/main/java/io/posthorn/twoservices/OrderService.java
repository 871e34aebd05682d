/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.kafka.KafkaSender;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Places orders, and tells about each of them in the same transaction. */
public final class OrderService {
  private static final int WRITERS = 4;
  private static final int PER_SECOND = 200;
  private static final int ITEMS = 50;

  private final HikariDataSource dataSource;
  private final JdbcTransactions transactions;

  private OrderService(HikariDataSource dataSource) {
    this.dataSource = dataSource;
    this.transactions = new JdbcTransactions(dataSource);
  }

  static final String TABLES =
      """
      CREATE TABLE IF NOT EXISTS orders (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item text NOT NULL, amount int NOT NULL)
      """;

  /**
   * Runs until its input ends or says that no more orders are to be placed; what was placed is then
   * delivered by whoever runs it next.
   */
  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource dataSource = Service.connect(arguments[0], WRITERS + 6)) {
      new OrderService(dataSource).run(arguments[1], Boolean.parseBoolean(arguments[2]));
    }
  }

  /**
   * @param placing whether orders are placed, or only delivered
   */
  private void run(String brokers, boolean placing) throws IOException, SQLException {
    Service.execute(dataSource, TABLES);
    ScheduledThreadPoolExecutor writers = new ScheduledThreadPoolExecutor(WRITERS);
    try (KafkaSender kafka = KafkaSender.connect(Map.of("bootstrap.servers", brokers));
        Posthorn posthorn =
            Posthorn.inOneProcess(
                    JdbcMessageStore.builder(dataSource).createTables(true).build(), transactions)
                .sender("kafka", kafka)
                .route(Route.type(OrderPlaced.TYPE).to("kafka", OrderPlaced.TOPIC))
                .relay(
                    relay ->
                        relay
                            .leaseDuration(Duration.ofSeconds(4))
                            .heartbeatInterval(Duration.ofSeconds(1)))
                .start()) {
      if (placing) {
        schedule(writers, () -> place(posthorn));
      }
      Service.awaitEndOfInput();
      writers.shutdownNow();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it never ends by itself
  private static void schedule(ScheduledThreadPoolExecutor writers, Runnable action) {
    long micros = TimeUnit.SECONDS.toMicros(1) / PER_SECOND;
    writers.scheduleAtFixedRate(action, 0, micros, TimeUnit.MICROSECONDS);
  }

  private void place(Posthorn posthorn) {
    Random random = new Random();
    String item = "item-" + random.nextInt(ITEMS);
    int amount = 1 + random.nextInt(9);
    try {
      transactions.run(
          connection -> {
            long id = insert(connection, item, amount);
            posthorn
                .outbox()
                .publish(
                    Message.of(OrderPlaced.TYPE)
                        .key(item)
                        .payload(new OrderPlaced(id, item, amount))
                        .build());
            if (random.nextInt(10) == 0) {
              throw new IllegalStateException("the customer has changed their mind");
            }
          });
    } catch (Exception e) { // rolled back: no order, and no message either
      System.out.println("not placed: " + e.getMessage());
    }
  }

  private static long insert(Connection connection, String item, int amount) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO orders (item, amount) VALUES (?, ?) RETURNING id")) {
      insert.setString(1, item);
      insert.setInt(2, amount);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
