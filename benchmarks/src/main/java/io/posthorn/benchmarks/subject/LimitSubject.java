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
  private final DataSource relayDataSource;
  private final LimitRow row;
  private final LimitTable table;
  private final @Nullable KafkaTopic topic;
  private @Nullable LimitRelay relay;

  LimitSubject(SubjectDatabase database, LimitRow row) {
    this(database, row, null);
  }

  /**
   * @param topic null: messages go to a handler of the process
   */
  LimitSubject(SubjectDatabase database, LimitRow row, @Nullable KafkaTopic topic) {
    this.dataSource = database.dataSource();
    this.relayDataSource = database.plainDataSource();
    this.row = row;
    this.table = new LimitTable(row, database.product());
    this.topic = topic;
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "batch",
        Integer.toString(LimitRelay.BATCH),
        "relay threads",
        "1",
        "row",
        row == LimitRow.FULL ? "id, type, key, payload, time" : "key, payload");
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void createTables() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(table.create());
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

  private void insert(Connection connection, List<Order> orders) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(table.insert(orders.size()))) {
      int parameter = 0;
      for (Order order : orders) {
        parameter = table.bind(insert, parameter, order);
      }
      insert.executeUpdate();
    }
  }

  @Override
  public void startRelay(Consumer<Order> handler) {
    LimitSink sink =
        topic == null ? LimitSink.to(handler) : new KafkaLimitSink(topic.settings(), handler);
    relay = new LimitRelay(relayDataSource, table, sink);
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
