/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What is paused for the whole fleet. The table is tiny and read whole. */
final class PauseStatements {
  private final String count;
  private final String insert;
  private final String delete;
  private final String read;
  private final Dialect dialect;

  PauseStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String byKey = " WHERE kind = ? AND name = ?";
    this.count = "SELECT count(*) FROM " + tables.pause() + byKey;
    this.insert =
        "INSERT INTO %s (kind, name, paused_at) VALUES (?, ?, %s)"
            .formatted(tables.pause(), dialect.now());
    this.delete = "DELETE FROM " + tables.pause() + byKey;
    this.read = "SELECT kind, name, paused_at FROM " + tables.pause() + " ORDER BY kind, name";
  }

  boolean pause(Connection connection, Paused kind, String name) throws SQLException {
    try (PreparedStatement found = connection.prepareStatement(count)) {
      bind(found, kind, name);
      try (ResultSet row = found.executeQuery()) {
        row.next();
        return row.getLong(1) == 0 && update(connection, insert, kind, name) == 1;
      }
    }
  }

  boolean resume(Connection connection, Paused kind, String name) throws SQLException {
    return update(connection, delete, kind, name) == 1;
  }

  private static int update(Connection connection, String sql, Paused kind, String name)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      bind(update, kind, name);
      return update.executeUpdate();
    }
  }

  private static void bind(PreparedStatement statement, Paused kind, String name)
      throws SQLException {
    statement.setString(1, kind.name());
    statement.setString(2, name);
  }

  List<Pause> read(Connection connection) throws SQLException {
    List<Pause> pauses = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(read);
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        pause(dialect, rows, 1, 2, 3).ifPresent(pauses::add);
      }
    }
    return pauses;
  }

  /** Empty if this version does not know the kind: a newer one may have written it. */
  static Optional<Pause> pause(Dialect dialect, ResultSet row, int kind, int name, int since)
      throws SQLException {
    String text = row.getString(kind);
    Optional<Paused> known =
        Stream.of(Paused.values()).filter(any -> any.name().equals(text)).findFirst();
    return known.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Pause(known.get(), row.getString(name), Rows.instant(dialect, row, since)));
  }
}
