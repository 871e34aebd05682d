/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.Original;
import io.posthorn.AdminAction.State;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore.ActionPlace;
import io.posthorn.spi.AdminStore.NewAction;
import io.posthorn.spi.AdminStore.OpenAction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators did. All are served by the primary key, but for the list, which is a range of the
 * index on the time. The row of an action is locked before any other row of its transaction, so
 * that two that carry out the same action take turns, and never wait for each other.
 */
final class ActionStatements {
  private static final String SHOWN =
      "id, kind, who, why, target, state, entries, started_at, changed_at";

  private final Dialect dialect;
  private final String insert;
  private final String lock;
  private final String advance;
  private final String keepOriginal;
  private final String stop;
  private final String find;
  private final String list;

  ActionStatements(Dialect dialect, Tables tables) {
    String now = dialect.now();
    String table = tables.action();
    this.dialect = dialect;
    // Waits for a concurrent transaction that has inserted the same action.
    this.insert =
        "INSERT INTO %s (id, kind, who, why, target, state, entries, started_at, changed_at) VALUES (?, ?, ?, ?, ?, 'RUNNING', 0, %s, %s) %s"
            .formatted(table, now, now, dialect.passOverExisting().orElse(""))
            .trim();
    this.lock = dialect.lockingQuery(SHOWN + ", place", table, "WHERE id = ?", dialect.lockRows());
    this.advance =
        "UPDATE %s SET entries = entries + ?, place = ?, state = ?, changed_at = %s WHERE id = ?"
            .formatted(table, now);
    this.keepOriginal =
        "UPDATE %s SET old_headers = ?, old_payload = ? WHERE id = ?".formatted(table);
    this.stop =
        "UPDATE %s SET state = 'STOPPED', changed_at = %s WHERE id = ? AND state = 'RUNNING'"
            .formatted(table, now);
    this.find = "SELECT %s, old_headers, old_payload FROM %s WHERE id = ?".formatted(SHOWN, table);
    this.list =
        "SELECT %s FROM %s%%s ORDER BY started_at DESC, id DESC %s"
            .formatted(SHOWN, table, dialect.firstRows("?"));
  }

  /** Looks first: on some databases a failed INSERT leaves a lock that two can have. */
  OpenAction open(Connection connection, NewAction action) throws SQLException {
    Optional<OpenAction> recorded = lock(connection, action.id());
    if (recorded.isPresent()) {
      return recorded.get();
    }
    insert(connection, action);
    return lock(connection, action.id()).orElseThrow(() -> missing(action.id()));
  }

  private Optional<OpenAction> lock(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(lock)) {
      dialect.bindId(select, 1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? Optional.of(new OpenAction(action(row, null), row.getString(10)))
            : Optional.empty();
      }
    }
  }

  private static SQLException missing(UUID id) {
    return new SQLException("action " + id + " is not recorded");
  }

  private void insert(Connection connection, NewAction action) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      dialect.bindId(statement, 1, action.id());
      statement.setString(2, action.kind().name());
      statement.setString(3, action.who());
      statement.setString(4, action.why());
      statement.setString(5, action.target());
      statement.executeUpdate();
    } catch (SQLException e) {
      String state = e.getSQLState();
      boolean exists = state != null && state.startsWith("23");
      if (dialect.passOverExisting().isPresent() || !exists) {
        throw e;
      }
    }
  }

  AdminAction advance(Connection connection, UUID id, long entries, @Nullable String place)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(advance)) {
      update.setLong(1, entries);
      update.setString(2, place);
      update.setString(3, (place == null ? State.DONE : State.RUNNING).name());
      dialect.bindId(update, 4, id);
      update.executeUpdate();
    }
    return find(connection, id).orElseThrow(() -> missing(id));
  }

  void keepOriginal(Connection connection, UUID id, Original original) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(keepOriginal)) {
      update.setString(1, HeadersText.of(original.headers()));
      dialect.bindPayload(update, 2, original.payload());
      dialect.bindId(update, 3, id);
      update.executeUpdate();
    }
  }

  boolean stop(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(stop)) {
      dialect.bindId(update, 1, id);
      return update.executeUpdate() > 0;
    }
  }

  Optional<AdminAction> find(Connection connection, UUID id) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(find)) {
      dialect.bindId(select, 1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? Optional.of(
                action(row, new Original(HeadersText.read(row.getString(10)), row.getBytes(11))))
            : Optional.empty();
      }
    }
  }

  List<AdminAction> list(Connection connection, @Nullable ActionPlace after, int limit)
      throws SQLException {
    String behind = after == null ? "" : " WHERE started_at <= ? AND (started_at < ? OR id < ?)";
    List<AdminAction> actions = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(list.formatted(behind))) {
      int i = 1;
      if (after != null) {
        dialect.bindTime(select, i++, after.startedAt());
        dialect.bindTime(select, i++, after.startedAt());
        dialect.bindId(select, i++, after.id());
      }
      select.setInt(i, limit);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          actions.add(action(rows, null));
        }
      }
    }
    return actions;
  }

  private AdminAction action(ResultSet row, @Nullable Original original) throws SQLException {
    Kind kind = Kind.valueOf(row.getString(2));
    boolean edit = kind == Kind.EDIT_HEADERS || kind == Kind.EDIT_PAYLOAD;
    return new AdminAction(
        dialect.id(row, 1),
        kind,
        row.getString(3),
        row.getString(4),
        row.getString(5),
        State.valueOf(row.getString(6)),
        row.getLong(7),
        Rows.instant(dialect, row, 8),
        Rows.instant(dialect, row, 9),
        edit ? original : null);
  }
}
