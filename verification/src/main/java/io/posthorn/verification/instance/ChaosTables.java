/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.history.Effect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** The business tables of the runs. */
public final class ChaosTables {
  /** Writers of different processes meet on the same keys. */
  static final int KEYS = 200;

  /** What handlers publish has keys of its own, so that they wait for no writer. */
  static final int CHILD_KEYS = 20;

  /** Takes one message at a time. */
  static final String SINGLE_CONSUMER = "single";

  /** Takes all that it gets at once. */
  static final String BATCH_CONSUMER = "batch";

  /** Who gets all messages from the broker, if there is one. */
  public static final Set<String> CONSUMERS = Set.of(SINGLE_CONSUMER, BATCH_CONSUMER);

  /** How many effects of these are missing. */
  public static final String UNCONSUMED =
      """
      SELECT count(*) FROM chaos_order o CROSS JOIN (SELECT '%s' AS name UNION ALL SELECT '%s') c
       WHERE NOT EXISTS (SELECT 1 FROM chaos_consumed e WHERE e.consumer = c.name AND e.id = o.id)
      """
          .formatted(SINGLE_CONSUMER, BATCH_CONSUMER);

  private ChaosTables() {}

  public static void create(TestedDatabase database, DataSource dataSource, int partitions)
      throws SQLException {
    JdbcMessageStore.builder(dataSource).createTables(true).partitions(partitions).build().open();
    InboxTable.builder(dataSource).createTables(true).build().open();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE chaos_consumed (place %s, consumer varchar(100) NOT NULL, id varchar(36) NOT NULL)"
              .formatted(database.counted()));
      statement.execute("CREATE INDEX chaos_consumed_ix ON chaos_consumed (consumer, id)");
      statement.execute(
          "CREATE TABLE chaos_aggregate (name varchar(100) PRIMARY KEY, number bigint NOT NULL)");
      statement.execute("CREATE TABLE chaos_order (id varchar(36) PRIMARY KEY)");
      statement.execute(
          "CREATE TABLE chaos_effect (place %s, handler varchar(100) NOT NULL, id varchar(36) NOT NULL)"
              .formatted(database.counted()));
      for (String sql : database.faultTables()) {
        statement.execute(sql);
      }
      insertKeys(statement, "k", KEYS);
      insertKeys(statement, "c", CHILD_KEYS);
    }
  }

  private static void insertKeys(Statement statement, String prefix, int count)
      throws SQLException {
    String keys =
        IntStream.range(0, count)
            .mapToObj(n -> "('" + prefix + n + "', 0)")
            .collect(Collectors.joining(", "));
    statement.execute("INSERT INTO chaos_aggregate (name, number) VALUES " + keys);
  }

  public static Set<UUID> orders(Connection connection) throws SQLException {
    Set<UUID> ids = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM chaos_order")) {
      while (rows.next()) {
        ids.add(UUID.fromString(rows.getString(1)));
      }
    }
    return ids;
  }

  /** What transactional handlers have done, in the order of writing. */
  public static List<Effect> effects(Connection connection) throws SQLException {
    return effects(connection, "SELECT place, handler, id FROM chaos_effect ORDER BY place");
  }

  /** What consumers behind a broker have done, in the order of writing. */
  public static List<Effect> consumed(Connection connection) throws SQLException {
    return effects(connection, "SELECT place, consumer, id FROM chaos_consumed ORDER BY place");
  }

  private static List<Effect> effects(Connection connection, String query) throws SQLException {
    List<Effect> effects = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        effects.add(
            new Effect(rows.getLong(1), rows.getString(2), UUID.fromString(rows.getString(3))));
      }
    }
    return effects;
  }

  /** Takes the next number of a key; whoever wants it too waits for the end of the transaction. */
  static long nextNumber(Connection connection, String key) throws SQLException {
    try (PreparedStatement update =
            connection.prepareStatement(
                "UPDATE chaos_aggregate SET number = number + 1 WHERE name = ?");
        PreparedStatement query =
            connection.prepareStatement("SELECT number FROM chaos_aggregate WHERE name = ?")) {
      update.setString(1, key);
      update.executeUpdate();
      query.setString(1, key);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  static void insertOrder(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO chaos_order (id) VALUES (?)")) {
      insert.setString(1, id.toString());
      insert.executeUpdate();
    }
  }

  static void insertEffect(Connection connection, String handler, UUID id) throws SQLException {
    insert(connection, "INSERT INTO chaos_effect (handler, id) VALUES (?, ?)", handler, id);
  }

  static void insertConsumed(Connection connection, String consumer, UUID id) throws SQLException {
    insert(connection, "INSERT INTO chaos_consumed (consumer, id) VALUES (?, ?)", consumer, id);
  }

  private static void insert(Connection connection, String sql, String who, UUID id)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      insert.setString(1, who);
      insert.setString(2, id.toString());
      insert.executeUpdate();
    }
  }
}
