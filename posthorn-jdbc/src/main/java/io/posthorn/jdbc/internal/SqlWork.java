/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Something done with a connection. */
@FunctionalInterface
interface SqlWork<T> {
  T with(Connection connection) throws SQLException;

  /** Runs a statement, if there is one. */
  static void run(Connection connection, Optional<String> sql) throws SQLException {
    if (sql.isEmpty()) {
      return;
    }
    if (sql.get().startsWith("SET ")) {
      // SQL Server takes back at its end what a prepared statement has set.
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql.get());
      }
    } else {
      try (PreparedStatement statement = connection.prepareStatement(sql.get())) {
        statement.execute();
      }
    }
  }
}
