/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.internal.FilteredTable.Columns;
import io.posthorn.spi.DeferredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The tables in which operators look for entries. */
final class AdminQueries {
  private static final String HANDLER = "handler";

  private final Dialect dialect;
  private final String now;
  private final String deferredHandlers;
  private final FilteredTable<ReadyMessage> ready;
  private final FilteredTable<DeadLetter> dead;
  private final FilteredTable<DeferredEntry> deferred;
  private final FilteredTable<HistoryEntry> history;

  AdminQueries(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.deferredHandlers =
        "SELECT f.handler FROM %s f WHERE f.partition_no = ?".formatted(tables.deferredFloor());
    this.now = "SELECT " + dialect.now() + dialect.fromNothing();
    this.ready =
        new FilteredTable<>(
            dialect,
            new Columns(
                tables.message(),
                "'" + DeferredMessage.UNDECIDED + "'",
                "created_at",
                List.of("partition_no", "seq"),
                Set.of(),
                "created_at",
                null),
            row -> new ReadyMessage(Rows.ready(dialect, row)));
    this.dead =
        new FilteredTable<>(
            dialect,
            new Columns(
                tables.dead(),
                HANDLER,
                "attempts, error, died_at",
                List.of("seq", "handler"),
                Set.of("handler", "message_key", "id"),
                "died_at",
                "error"),
            this::deadLetter);
    this.deferred =
        new FilteredTable<>(
            dialect,
            new Columns(
                tables.deferred(),
                HANDLER,
                "reason, attempts, last_error, due_at, deferred_at",
                List.of("partition_no", "handler", "seq"),
                Set.of(),
                "deferred_at",
                "last_error"),
            this::deferredEntry);
    this.history =
        new FilteredTable<>(
            dialect,
            new Columns(
                tables.history(),
                HANDLER,
                "delivered_at, resolved_by, resolved_why, error",
                List.of("seq", "handler", "delivered_at"),
                Set.of(),
                "delivered_at",
                null),
            this::historyEntry);
  }

  FilteredTable<ReadyMessage> ready() {
    return ready;
  }

  FilteredTable<DeadLetter> dead() {
    return dead;
  }

  FilteredTable<DeferredEntry> deferred() {
    return deferred;
  }

  FilteredTable<HistoryEntry> history() {
    return history;
  }

  /** All rows of one message. Served by the primary keys. */
  List<Entry> ofMessage(Connection connection, int partition, long seq) throws SQLException {
    List<Entry> found = new ArrayList<>(ready.ofMessage(connection, partition, seq, null));
    found.addAll(deferred.ofMessage(connection, partition, seq, deferredHandlers));
    found.addAll(dead.ofMessage(connection, partition, seq, null));
    found.addAll(history.ofMessage(connection, partition, seq, null));
    return found;
  }

  Instant now(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(now);
        ResultSet row = read.executeQuery()) {
      row.next();
      return Rows.instant(dialect, row, 1);
    }
  }

  private DeadLetter deadLetter(ResultSet row) throws SQLException {
    return new DeadLetter(
        Rows.ready(dialect, row),
        row.getString(15),
        row.getInt(16),
        Objects.requireNonNullElse(row.getString(17), ""),
        Rows.instant(dialect, row, 18));
  }

  private DeferredEntry deferredEntry(ResultSet row) throws SQLException {
    return new DeferredEntry(
        Rows.ready(dialect, row),
        row.getString(15),
        Rows.reason(row.getString(16)),
        row.getInt(17),
        row.getString(18),
        dialect.time(row, 19),
        Rows.instant(dialect, row, 20));
  }

  private HistoryEntry historyEntry(ResultSet row) throws SQLException {
    String resolvedBy = row.getString(17);
    return new HistoryEntry(
        Rows.ready(dialect, row),
        row.getString(15),
        Rows.instant(dialect, row, 16),
        resolvedBy == null ? null : new Resolution(resolvedBy, row.getString(18)),
        resolvedBy == null ? null : row.getString(19));
  }
}
