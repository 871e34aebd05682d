/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** Something done with a connection. */
@FunctionalInterface
interface SqlWork<T> {
  T with(Connection connection) throws SQLException;

  /** Runs a statement, if there is one. */
  static void run(Connection connection, Optional<String> sql) throws SQLException {
    if (sql.isPresent()) {
      try (PreparedStatement statement = connection.prepareStatement(sql.get())) {
        statement.execute();
      }
    }
  }
}
