/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * No library: what a good engineer writes by hand for one process, without leases, retries, lanes
 * or several relays. What a system adds to it is the price of its promises.
 */
final class LimitSubject implements Subject {
  private final DataSource dataSource;
  private final @Nullable KafkaTopic topic;
  private @Nullable LimitRelay relay;

  LimitSubject(SubjectDatabase database) {
    this(database, null);
  }

  /**
   * @param topic null: messages go to a handler of the process
   */
  LimitSubject(SubjectDatabase database, @Nullable KafkaTopic topic) {
    this.dataSource = database.dataSource();
    this.topic = topic;
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("batch", Integer.toString(LimitRelay.BATCH), "relay threads", "1");
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void createTables() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE limit_message (
            seq         bigserial    PRIMARY KEY,
            id          uuid         NOT NULL DEFAULT gen_random_uuid(),
            type        varchar(255) NOT NULL,
            message_key varchar(255) NOT NULL,
            payload     bytea        NOT NULL,
            created_at  timestamptz  NOT NULL DEFAULT now()
          ) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000,
                  autovacuum_vacuum_cost_delay = 0)
          """);
    }
  }

  @Override
  public List<String> backlogTables() {
    return List.of("limit_message");
  }

  @Override
  public String countPending() {
    return "SELECT count(*) FROM limit_message";
  }

  @Override
  public void transact(Business business, List<Order> orders) throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      business.run(connection);
      if (!orders.isEmpty()) {
        insert(connection, orders);
      }
      connection.commit();
    }
    if (relay != null) {
      relay.signal();
    }
  }

  private static void insert(Connection connection, List<Order> orders) throws SQLException {
    String rows = String.join(", ", Collections.nCopies(orders.size(), "(?, ?, ?)"));
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO limit_message (type, message_key, payload) VALUES " + rows)) {
      int parameter = 0;
      for (Order order : orders) {
        insert.setString(++parameter, "order-placed");
        insert.setString(++parameter, order.keyText());
        insert.setBytes(++parameter, order.json());
      }
      insert.executeUpdate();
    }
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    LimitSink sink =
        topic == null ? LimitSink.to(handler) : new KafkaLimitSink(topic.settings(), handler);
    relay = new LimitRelay(dataSource, sink);
    relay.start();
  }

  @Override
  public void stopRelay() throws Exception {
    requireNonNull(relay, "relay").stop();
    relay = null;
  }

  @Override
  public void close() {
    if (topic != null) {
      topic.close();
    }
  }
}
