/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Columns, keys, indexes and checks of tables, as lines that can be compared. */
final class TableShapes {
  private static final List<String> TABLES =
      List.of(
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
          "schema",
          "ready_view",
          "deferred_view",
          "dead_view",
          "history_view",
          "partition_view");

  private TableShapes() {}

  /** The shapes of an outbox's tables, without its prefix. */
  static List<String> read(DataSource dataSource, String prefix) throws SQLException {
    Set<String> lines = new TreeSet<>();
    try (Connection connection = dataSource.getConnection()) {
      DatabaseMetaData database = connection.getMetaData();
      for (String table : TABLES) {
        String name = prefix + table;
        String stored =
            database.storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name;
        String schema = connection.getSchema();
        String catalogue = connection.getCatalog();
        try (ResultSet columns = database.getColumns(catalogue, schema, stored, null)) {
          add(
              lines,
              prefix,
              table + " column",
              columns,
              "COLUMN_NAME",
              "TYPE_NAME",
              "COLUMN_SIZE",
              "DECIMAL_DIGITS",
              // What MySQL says of a view's column depends on when the table was changed.
              table.endsWith("_view") ? "COLUMN_NAME" : "IS_NULLABLE",
              "IS_AUTOINCREMENT",
              "ORDINAL_POSITION");
        }
        try (ResultSet keys = database.getPrimaryKeys(catalogue, schema, stored)) {
          add(lines, prefix, table + " key", keys, "COLUMN_NAME", "KEY_SEQ");
        }
        try (ResultSet indexes = database.getIndexInfo(catalogue, schema, stored, false, true)) {
          add(
              lines,
              prefix,
              table + " index",
              indexes,
              "NON_UNIQUE",
              "ORDINAL_POSITION",
              "COLUMN_NAME",
              "FILTER_CONDITION");
        }
        try (PreparedStatement checks =
            connection.prepareStatement(
                "SELECT constraint_name FROM information_schema.table_constraints WHERE table_schema = ? AND table_name = ? AND constraint_type = 'CHECK' AND lower(constraint_name) LIKE '%ck'")) {
          checks.setString(1, schema == null ? catalogue : schema);
          checks.setString(2, stored);
          add(lines, prefix, table + " check", checks.executeQuery(), "constraint_name");
        }
      }
    }
    return new ArrayList<>(lines);
  }

  private static void add(
      Set<String> lines, String prefix, String what, ResultSet rows, String... labels)
      throws SQLException {
    while (rows.next()) {
      StringBuilder line = new StringBuilder(what);
      for (String label : labels) {
        String value = String.valueOf(rows.getString(label)).toLowerCase(Locale.ROOT);
        line.append(' ').append(value.replace(prefix, ""));
      }
      lines.add(line.toString());
    }
  }
}
