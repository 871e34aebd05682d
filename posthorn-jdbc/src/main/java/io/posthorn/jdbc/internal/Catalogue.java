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
import org.jspecify.annotations.Nullable;

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
    Place place = place(database, name);
    // As patterns, in which an underscore stands for any character: MySQL's driver has no character
    // to escape it under NO_BACKSLASH_ESCAPES.
    try (ResultSet found = database.getTables(place.catalog, place.schema, place.table, null)) {
      while (found.next()) {
        String schema = found.getString("TABLE_SCHEM"); // null where there are catalogues only
        boolean here =
            place.schema == null || schema == null || same(database, place.schema, schema);
        if (here && same(database, place.table, found.getString("TABLE_NAME"))) {
          return true;
        }
      }
      return false;
    }
  }

  private static boolean same(DatabaseMetaData database, String name, @Nullable String found)
      throws SQLException {
    return database.supportsMixedCaseIdentifiers()
        ? name.equals(found)
        : name.equalsIgnoreCase(found);
  }

  /** The names of its columns, in lower case; empty if it has none. */
  Set<String> primaryKey(String name) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    Place place = place(database, name);
    Set<String> columns = new HashSet<>();
    try (ResultSet key = database.getPrimaryKeys(place.catalog, place.schema, place.table)) {
      while (key.next()) {
        columns.add(key.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return columns;
  }

  private record Place(@Nullable String catalog, @Nullable String schema, String table) {}

  /** What a name begins with is a catalogue where the database has no schemas. */
  private Place place(DatabaseMetaData database, String name) throws SQLException {
    int dot = name.indexOf('.');
    String table = stored(database, name.substring(dot + 1));
    if (dot < 0) {
      return new Place(connection.getCatalog(), connection.getSchema(), table);
    }
    String first = stored(database, name.substring(0, dot));
    return database.supportsSchemasInTableDefinitions()
        ? new Place(connection.getCatalog(), first, table)
        : new Place(first, null, table);
  }

  private static String stored(DatabaseMetaData database, String name) throws SQLException {
    return database.storesUpperCaseIdentifiers()
        ? name.toUpperCase(Locale.ROOT)
        : database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
  }
}
