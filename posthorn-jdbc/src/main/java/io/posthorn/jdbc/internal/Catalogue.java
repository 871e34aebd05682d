/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Looks tables up in the driver's catalogue, by the name that the database makes of an unquoted
 * one.
 */
final class Catalogue {
  private final Connection connection;

  Catalogue(Connection connection) {
    this.connection = connection;
  }

  boolean hasTable(String name) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    int dot = name.indexOf('.');
    String schema = dot < 0 ? connection.getSchema() : stored(database, name.substring(0, dot));
    String table = stored(database, name.substring(dot + 1));
    try (ResultSet found =
        database.getTables(
            connection.getCatalog(),
            schema == null ? null : pattern(database, schema),
            pattern(database, table),
            null)) {
      return found.next();
    }
  }

  /** The names of its columns, in lower case; empty if it has none. */
  Set<String> primaryKey(String name) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    int dot = name.indexOf('.');
    String schema = dot < 0 ? connection.getSchema() : stored(database, name.substring(0, dot));
    Set<String> columns = new HashSet<>();
    try (ResultSet key =
        database.getPrimaryKeys(
            connection.getCatalog(), schema, stored(database, name.substring(dot + 1)))) {
      while (key.next()) {
        columns.add(key.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return columns;
  }

  private static String stored(DatabaseMetaData database, String name) throws SQLException {
    return database.storesUpperCaseIdentifiers()
        ? name.toUpperCase(Locale.ROOT)
        : database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
  }

  /** Drivers take both names as patterns, in which an underscore stands for any character. */
  private static String pattern(DatabaseMetaData database, String name) throws SQLException {
    String escape = database.getSearchStringEscape();
    return name.replace("_", escape + "_").replace("%", escape + "%");
  }
}
