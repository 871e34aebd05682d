/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.jdbc.JdbcMessageStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Creates, looks into and drops the demo's tables, and never touches one that is not its own. */
final class DemoTables implements AutoCloseable {
  static final int CUSTOMERS = 200;

  private static final String PREFIX = "demo_outbox_";
  private static final String MARK = "Posthorn demo: dropped by the next one";
  private static final List<String> BUSINESS = List.of("demo_customer", "demo_order");
  private static final List<String> OUTBOX =
      Stream.of(
              "message",
              "deferred",
              "deferred_floor",
              "dead",
              "history",
              "idempotency",
              "pause",
              "action",
              "instance",
              "heartbeat",
              "gone",
              "partition",
              "schema")
          .map(PREFIX::concat)
          .toList();

  private static final List<String> VIEWS =
      Stream.of("ready", "deferred", "dead", "history", "partition")
          .map(name -> PREFIX + name + "_view")
          .toList();

  private final Product product;
  private final DataSource dataSource;

  private DemoTables(Product product, DataSource dataSource) {
    this.product = product;
    this.dataSource = dataSource;
  }

  static JdbcMessageStore store(DataSource dataSource) {
    return JdbcMessageStore.builder(dataSource).tablePrefix(PREFIX).createTables(true).build();
  }

  /**
   * Drops what an earlier demo left, and creates everything anew.
   *
   * @throws DemoException if there are tables with these names that no demo made
   */
  static DemoTables create(Product product, DataSource dataSource) throws SQLException {
    DemoTables tables = new DemoTables(product, dataSource);
    tables.refuseStrangers();
    tables.close();
    tables.create();
    return tables;
  }

  private void create() throws SQLException {
    store(dataSource).open();
    execute(
        "CREATE TABLE demo_customer (id varchar(20) PRIMARY KEY, orders bigint NOT NULL)",
        "INSERT INTO demo_customer WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d) SELECT concat('customer-', n), 0 FROM numbers"
            .formatted(CUSTOMERS),
        "CREATE TABLE demo_order (customer varchar(20), number bigint NOT NULL, cents integer NOT NULL)");
    for (String table : all()) {
      execute(product.mark.formatted(table, MARK));
    }
  }

  private List<String> all() {
    return Stream.of(OUTBOX, product.moreTables.stream().map(PREFIX::concat).toList(), BUSINESS)
        .flatMap(List::stream)
        .toList();
  }

  private void refuseStrangers() throws SQLException {
    Set<String> strangers = new HashSet<>();
    String names = all().stream().collect(Collectors.joining("', '", "'", "'"));
    query(product.strangers.formatted(names, MARK), row -> strangers.add(row.getString(1)));
    if (!strangers.isEmpty()) {
      throw new DemoException(
          "the database has tables named %s that no demo made; choose another database, or drop them"
              .formatted(strangers));
    }
  }

  /** Drops them. */
  @Override
  public void close() throws SQLException {
    execute(
        "DROP VIEW IF EXISTS " + String.join(", ", VIEWS),
        "DROP FUNCTION IF EXISTS " + PREFIX + "text",
        "DROP TABLE IF EXISTS " + String.join(", ", all()));
    for (String sequence : product.sequences) {
      execute("DROP SEQUENCE IF EXISTS " + PREFIX + sequence);
    }
  }

  /** How many partitions each relay holds, by its name. */
  Map<String, Integer> holders() throws SQLException {
    Map<String, Integer> holders = new TreeMap<>();
    query(
        "SELECT owner_id, count(*) FROM demo_outbox_partition WHERE owner_id IS NOT NULL GROUP BY owner_id",
        row -> holders.put(row.getString(1), row.getInt(2)));
    return holders;
  }

  /** Whether no message waits for anything. */
  boolean drained() throws SQLException {
    Set<Long> counts = new HashSet<>();
    query(
        "SELECT (SELECT count(*) FROM demo_outbox_message) + (SELECT count(*) FROM demo_outbox_deferred)",
        row -> counts.add(row.getLong(1)));
    return counts.equals(Set.of(0L));
  }

  /** What waits, one line a row, for those who look for the reason. */
  List<String> leftOver() throws SQLException {
    List<String> rows = new ArrayList<>();
    query(
        """
        SELECT concat_ws(' ', 'ready', partition_no, seq, id, message_key) FROM demo_outbox_message
        UNION ALL
        SELECT concat_ws(' ', 'deferred', partition_no, seq, id, message_key, handler, reason, attempts, due_at)
          FROM demo_outbox_deferred
        """,
        row -> rows.add("left over: " + row.getString(1)));
    return rows;
  }

  /** The messages that are dead letters, by handler. */
  Map<String, Set<UUID>> deadLetters() throws SQLException {
    Map<String, Set<UUID>> dead = new HashMap<>();
    query(
        "SELECT handler, id FROM demo_outbox_dead",
        row ->
            dead.computeIfAbsent(row.getString(1), handler -> new HashSet<>())
                .add(product.id(row, 2)));
    return dead;
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private void query(String sql, RowReader reader) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
