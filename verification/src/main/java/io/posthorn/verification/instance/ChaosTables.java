/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.jdbc.JdbcMessageStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** The business tables of the runs. */
public final class ChaosTables {
  /** Writers of different processes meet on the same keys. */
  static final int KEYS = 200;

  private ChaosTables() {}

  public static void create(DataSource dataSource, int partitions) throws SQLException {
    JdbcMessageStore.builder(dataSource).createTables(true).partitions(partitions).build().open();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE chaos_aggregate (name text PRIMARY KEY, number bigint NOT NULL)");
      statement.execute("CREATE TABLE chaos_order (id uuid PRIMARY KEY)");
      statement.execute(
          "INSERT INTO chaos_aggregate SELECT 'k' || n, 0 FROM generate_series(0, %d) n"
              .formatted(KEYS - 1));
    }
  }

  public static Set<UUID> orders(Connection connection) throws SQLException {
    Set<UUID> ids = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM chaos_order")) {
      while (rows.next()) {
        ids.add(rows.getObject(1, UUID.class));
      }
    }
    return ids;
  }

  /** Takes the next number of a key; whoever wants it too waits for the end of the transaction. */
  static long nextNumber(Connection connection, String key) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE chaos_aggregate SET number = number + 1 WHERE name = ? RETURNING number")) {
      update.setString(1, key);
      try (ResultSet row = update.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  static void insertOrder(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO chaos_order (id) VALUES (?)")) {
      insert.setObject(1, id);
      insert.executeUpdate();
    }
  }
}
