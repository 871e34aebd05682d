/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rows of the inbox's table, by the messages' ids. The ids come sorted and without repetition. */
final class InboxRows {
  /** Parameters beside those for the ids. */
  private static final int OTHERS = 1;

  private final String now;
  private final String table;
  private final boolean arrays;
  private final String passOver;
  private final int mostIds;
  private final String addAll;
  private final String oldest;

  InboxRows(Dialect dialect, String table) {
    this.now = dialect.now();
    this.table = table;
    this.arrays = dialect.hasArrays();
    this.passOver = dialect.passOverExisting().orElse("");
    this.mostIds = (dialect.maxParameters() - OTHERS) / 2;
    // Served by the primary key. Waits for transactions that have inserted the same; no row of
    // others is locked.
    this.addAll =
        """
        INSERT INTO %s (consumer, message_id, received_at)
        SELECT ?::text, x.id, %s FROM unnest(?::text[]) AS x(id)
        %s RETURNING message_id
        """
            .formatted(table, now, passOver);
    // Served by the age index; the sub-select makes the time a constant of the scan. Rows that
    // another process is purging are left to it.
    this.oldest =
        dialect.lockingQuery(
            "consumer, message_id",
            table,
            "WHERE received_at < (SELECT %s%s) ORDER BY received_at %s"
                .formatted(
                    dialect.plusMillis(now, "?"), dialect.fromNothing(), dialect.firstRows("?")),
            dialect.lockUnlocked());
  }

  /** Those that were not there. */
  Set<String> add(TimedConnection connection, String consumer, List<String> ids)
      throws SQLException {
    if (arrays) {
      return addAll(connection, consumer, ids);
    }
    Set<String> added = new HashSet<>();
    for (int from = 0; from < ids.size(); from += mostIds) {
      List<String> some = ids.subList(from, Math.min(ids.size(), from + mostIds));
      added.addAll(addSome(connection, consumer, some));
    }
    return added;
  }

  private Set<String> addAll(TimedConnection connection, String consumer, List<String> ids)
      throws SQLException {
    try (PreparedStatement insert = connection.prepare(addAll)) {
      insert.setString(1, consumer);
      BulkStatements.bind(insert, 2, "text", ids, id -> id);
      return read(insert);
    }
  }

  /** For databases without arrays, on which a failed statement leaves the transaction as it was. */
  private Set<String> addSome(TimedConnection connection, String consumer, List<String> ids)
      throws SQLException {
    if (ids.size() > 1) {
      Set<String> missing = new HashSet<>(ids);
      missing.removeAll(present(connection, consumer, ids));
      List<String> inOrder = ids.stream().filter(missing::contains).toList();
      if (inOrder.isEmpty() || inserted(connection, consumer, inOrder)) {
        return missing;
      }
      // Another transaction has inserted one of them since.
    }
    Set<String> added = new HashSet<>();
    for (String id : ids) {
      if (inserted(connection, consumer, List.of(id))) {
        added.add(id);
      }
    }
    return added;
  }

  /** Served by the primary key. */
  private Set<String> present(TimedConnection connection, String consumer, List<String> ids)
      throws SQLException {
    String sql = "SELECT message_id FROM %s WHERE %s".formatted(table, condition(ids.size()));
    try (PreparedStatement select = connection.prepare(sql)) {
      bind(select, consumer, ids);
      return read(select);
    }
  }

  /** False if one of them is there already; then none is inserted. */
  private boolean inserted(TimedConnection connection, String consumer, List<String> ids)
      throws SQLException {
    String row = "(?, ?, " + now + ")";
    String sql =
        "INSERT INTO %s (consumer, message_id, received_at) VALUES %s"
            .formatted(table, row + (", " + row).repeat(ids.size() - 1));
    try (PreparedStatement insert = connection.prepare(sql)) {
      int parameter = 1;
      for (String id : ids) {
        insert.setString(parameter++, consumer);
        insert.setString(parameter++, id);
      }
      insert.executeUpdate();
      return true;
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state != null && state.startsWith("23")) {
        return false;
      }
      throw e;
    }
  }

  void remove(TimedConnection connection, String consumer, List<String> ids) throws SQLException {
    for (int from = 0; from < ids.size(); from += mostIds) {
      List<String> some = ids.subList(from, Math.min(ids.size(), from + mostIds));
      String sql = "DELETE FROM %s WHERE %s".formatted(table, condition(some.size()));
      try (PreparedStatement delete = connection.prepare(sql)) {
        bind(delete, consumer, some);
        delete.executeUpdate();
      }
    }
  }

  private String condition(int ids) {
    return arrays
        ? "consumer = ? AND message_id = ANY (?::text[])"
        : "consumer = ? AND message_id IN (?" + ", ?".repeat(ids - 1) + ")";
  }

  private void bind(PreparedStatement statement, String consumer, List<String> ids)
      throws SQLException {
    statement.setString(1, consumer);
    if (arrays) {
      BulkStatements.bind(statement, 2, "text", ids, id -> id);
      return;
    }
    int parameter = 2;
    for (String id : ids) {
      statement.setString(parameter++, id);
    }
  }

  private static Set<String> read(PreparedStatement query) throws SQLException {
    Set<String> ids = new HashSet<>();
    try (ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
    }
    return ids;
  }

  int purge(TimedConnection connection, Duration age, int limit) throws SQLException {
    Map<String, List<String>> old = new HashMap<>();
    int purged = 0;
    try (PreparedStatement select = connection.prepare(oldest)) {
      select.setLong(1, -age.toMillis());
      select.setInt(2, limit);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          old.computeIfAbsent(rows.getString(1), any -> new ArrayList<>()).add(rows.getString(2));
          purged++;
        }
      }
    }
    for (Map.Entry<String, List<String>> entry : old.entrySet()) {
      remove(connection, entry.getKey(), entry.getValue());
    }
    return purged;
  }
}
