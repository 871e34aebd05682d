/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Takes idempotency keys in the caller's transaction, and deletes old ones. */
final class IdempotencyStatements {
  private static final int MOST_TRIES = 10;

  private final Dialect dialect;
  private final boolean passesOver;
  private final Optional<String> insertOrTakeOver;
  private final String holder;
  private final String setHolder;
  private final String insert;
  private final String find;
  private final String takeOver;
  private final String oldest;
  private final String delete;

  /** A key's row: whose it is, and whether that is too long ago to count. */
  private record Claim(UUID messageId, boolean old) {}

  IdempotencyStatements(Dialect dialect, Tables tables) {
    String now = dialect.now();
    String table = tables.idempotency();
    this.dialect = dialect;
    this.passesOver = dialect.passOverExisting().isPresent();
    // Waits for a concurrent transaction that has inserted the key. No row of others is locked, so
    // that those who find a key taken do not wait for each other.
    this.insert =
        "INSERT INTO %s (idempotency_key, message_id, created_at) VALUES (?, ?, %s) %s"
            .formatted(table, now, dialect.passOverExisting().orElse(""))
            .trim();
    // Both are served by the primary key.
    String old = dialect.plusMillis("created_at", "?") + " < " + now;
    this.find =
        "SELECT message_id, CASE WHEN %s THEN 1 ELSE 0 END FROM %s WHERE idempotency_key = ?"
            .formatted(old, table);
    // For databases on which a failed INSERT leaves a lock that two can have, so that they would
    // wait for each other. The row is locked against all others; nobody looks before he has it.
    String unlessYoung = "CASE WHEN " + old + " THEN %s ELSE %s END";
    this.insertOrTakeOver =
        dialect
            .orUpdate(
                "message_id = %s, created_at = %s"
                    .formatted(
                        unlessYoung.formatted(dialect.inserted("message_id"), "message_id"),
                        unlessYoung.formatted(now, "created_at")))
            .map(
                orUpdate ->
                    "INSERT INTO %s (idempotency_key, message_id, created_at) VALUES (?, ?, %s) %s"
                        .formatted(table, now, orUpdate));
    this.holder =
        dialect.lockingQuery("message_id", table, "WHERE idempotency_key = ?", dialect.lockRows());
    this.setHolder = "UPDATE %s SET message_id = ? WHERE idempotency_key = ?".formatted(table);
    this.takeOver =
        "UPDATE %s SET message_id = ?, created_at = %s WHERE idempotency_key = ? AND %s"
            .formatted(table, now, old);
    // Served by the age index; the sub-select makes the time a constant of the scan. Keys that
    // another process is purging or taking over are left to it.
    this.oldest =
        dialect.lockingQuery(
            "idempotency_key",
            table,
            "WHERE created_at < (SELECT %s%s) ORDER BY created_at %s"
                .formatted(
                    dialect.plusMillis(now, "?"), dialect.fromNothing(), dialect.firstRows("?")),
            dialect.lockUnlocked());
    this.delete = "DELETE FROM %s WHERE idempotency_key = ?".formatted(table);
  }

  /** The message that has the key already; empty if it was free and is taken now. */
  Optional<UUID> claim(Connection connection, String key, UUID messageId, Duration retention)
      throws SQLException {
    if (insertOrTakeOver.isPresent()) {
      Optional<Claim> found = find(connection, key, retention);
      return found.isPresent() && !found.get().old
          ? Optional.of(found.get().messageId)
          : claim(connection, insertOrTakeOver.get(), key, messageId, retention);
    }
    for (int i = 0; i < MOST_TRIES; i++) {
      if (insert(connection, key, messageId)) {
        return Optional.empty();
      }
      Optional<Claim> found = find(connection, key, retention);
      if (found.isPresent() && !found.get().old) {
        return Optional.of(found.get().messageId);
      }
      if (found.isPresent() && takeOver(connection, key, messageId, retention)) {
        return Optional.empty();
      }
      // It was purged, or taken over by another transaction, just now.
    }
    throw new SQLException(
        "the idempotency key was purged or taken over " + MOST_TRIES + " times in a row");
  }

  /**
   * In the name of nobody else at first: the message that another transaction publishes meanwhile
   * may have the same id.
   */
  private Optional<UUID> claim(
      Connection connection, String sql, String key, UUID messageId, Duration retention)
      throws SQLException {
    UUID own = UUID.randomUUID();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, key);
      dialect.bindId(statement, 2, own);
      statement.setLong(3, retention.toMillis());
      statement.setLong(4, retention.toMillis());
      statement.executeUpdate();
    }
    UUID has = holder(connection, key);
    if (!has.equals(own)) {
      return Optional.of(has);
    }
    try (PreparedStatement update = connection.prepareStatement(setHolder)) {
      dialect.bindId(update, 1, messageId);
      update.setString(2, key);
      update.executeUpdate();
    }
    return Optional.empty();
  }

  private UUID holder(Connection connection, String key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(holder)) {
      statement.setString(1, key);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return dialect.id(row, 1);
      }
    }
  }

  private boolean insert(Connection connection, String key, UUID messageId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setString(1, key);
      dialect.bindId(statement, 2, messageId);
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (!passesOver && state != null && state.startsWith("23")) { // the key exists
        return false;
      }
      throw e;
    }
  }

  private Optional<Claim> find(Connection connection, String key, Duration retention)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(find)) {
      statement.setLong(1, retention.toMillis());
      statement.setString(2, key);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new Claim(dialect.id(row, 1), row.getInt(2) == 1))
            : Optional.empty();
      }
    }
  }

  private boolean takeOver(Connection connection, String key, UUID messageId, Duration retention)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(takeOver)) {
      dialect.bindId(statement, 1, messageId);
      statement.setString(2, key);
      statement.setLong(3, retention.toMillis());
      return statement.executeUpdate() == 1;
    }
  }

  /** In a transaction: the rows are locked before they are deleted. */
  int purge(Connection connection, Duration age, int limit) throws SQLException {
    int purged = 0;
    try (PreparedStatement select = connection.prepareStatement(oldest);
        PreparedStatement deletes = connection.prepareStatement(delete)) {
      select.setLong(1, -age.toMillis());
      select.setInt(2, limit);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          deletes.setString(1, rows.getString(1));
          deletes.addBatch();
          purged++;
        }
      }
      if (purged > 0) {
        deletes.executeBatch();
      }
    }
    return purged;
  }
}
