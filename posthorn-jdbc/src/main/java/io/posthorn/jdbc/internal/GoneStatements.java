/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.FleetSurvey.Gone;
import io.posthorn.spi.RelayIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Handlers of instances that are gone. The table is tiny and read whole. */
final class GoneStatements {
  private final String insert;
  private final String delete;
  private final String deleteAll;

  GoneStatements(Dialect dialect, Tables tables) {
    this.insert =
        "INSERT INTO %s (handler, instance_id, incarnation, types, gone_at) VALUES (?, ?, ?, ?, %s)"
            .formatted(tables.gone(), dialect.now());
    this.deleteAll = "DELETE FROM " + tables.gone() + " WHERE handler = ?";
    this.delete = deleteAll + " AND instance_id = ? AND incarnation = ?";
  }

  void insert(Connection connection, RelayIdentity instance, Map<String, Set<String>> handlers)
      throws SQLException {
    if (handlers.isEmpty()) {
      return;
    }
    try (PreparedStatement insertion = connection.prepareStatement(insert)) {
      for (Map.Entry<String, Set<String>> handler : handlers.entrySet()) {
        bind(insertion, handler.getKey(), instance);
        insertion.setString(4, HandlersText.ofTypes(handler.getValue()));
        insertion.addBatch();
      }
      insertion.executeBatch();
    }
  }

  void delete(Connection connection, Collection<Gone> gone) throws SQLException {
    try (PreparedStatement deletion = connection.prepareStatement(delete)) {
      for (Gone one : gone) {
        bind(deletion, one.handler(), one.instance());
        deletion.addBatch();
      }
      deletion.executeBatch();
    }
  }

  boolean delete(Connection connection, String handler) throws SQLException {
    try (PreparedStatement deletion = connection.prepareStatement(deleteAll)) {
      deletion.setString(1, handler);
      return deletion.executeUpdate() > 0;
    }
  }

  private static void bind(PreparedStatement statement, String handler, RelayIdentity instance)
      throws SQLException {
    statement.setString(1, handler);
    statement.setString(2, instance.id());
    statement.setLong(3, instance.incarnation());
  }
}
