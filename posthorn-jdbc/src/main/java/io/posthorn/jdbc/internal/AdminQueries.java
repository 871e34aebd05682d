/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists, finds and counts for people. Pages follow the primary keys and begin behind the last row
 * of the page before, so that each is a range of the index; filters only pass rows over. Payloads
 * are read for single entries only.
 */
final class AdminQueries {
  private static final String BY_SEQ = "seq, handler";
  private static final String BY_LANE = "partition_no, handler, seq";
  private static final String BY_SEQ_AND_TIME = "seq, handler, delivered_at";

  private final Dialect dialect;
  private final Tables tables;
  private final String now;
  private final String dead;
  private final String deferred;
  private final String history;

  AdminQueries(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
    this.now = "SELECT " + dialect.now() + dialect.fromNothing();
    String message = Rows.readyColumns(dialect);
    this.dead = select(message, "attempts, error, died_at", tables.dead());
    this.deferred =
        select(message, "reason, attempts, last_error, due_at, deferred_at", tables.deferred());
    this.history = select(message, "delivered_at", tables.history());
  }

  private static String select(String message, String columns, String table) {
    return "SELECT %s, handler, %s FROM %s".formatted(message, columns, table);
  }

  private static String withoutPayload(String select) {
    return select.replace(" payload,", " NULL AS payload,");
  }

  private interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  Instant now(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(now);
        ResultSet row = read.executeQuery()) {
      row.next();
      return Rows.instant(dialect, row, 1);
    }
  }

  // --- dead letters

  Optional<DeadLetter> deadLetter(Connection connection, EntryId id) throws SQLException {
    return one(connection, dead, id, this::deadLetter);
  }

  List<DeadLetter> deadLetters(
      Connection connection, Filter filter, @Nullable Place after, int limit) throws SQLException {
    FilterCondition condition = ofDead(filter);
    if (after != null) {
      condition.behind("seq, handler", after.id().seq(), after.id().handler());
    }
    return list(connection, dead, condition, BY_SEQ, limit, this::deadLetter);
  }

  long countDead(Connection connection, Filter filter) throws SQLException {
    return count(connection, tables.dead(), ofDead(filter));
  }

  private FilterCondition ofDead(Filter filter) {
    return new FilterCondition(dialect, filter, "died_at", "error");
  }

  private DeadLetter deadLetter(ResultSet row) throws SQLException {
    return new DeadLetter(
        Rows.ready(dialect, row),
        row.getString(15),
        row.getInt(16),
        Objects.requireNonNullElse(row.getString(17), ""),
        Rows.instant(dialect, row, 18));
  }

  // --- deferred messages

  Optional<DeferredEntry> deferred(Connection connection, EntryId id) throws SQLException {
    return one(connection, deferred, id, this::deferred);
  }

  List<DeferredEntry> deferred(
      Connection connection, Filter filter, @Nullable Place after, int limit) throws SQLException {
    FilterCondition condition = ofDeferred(filter);
    if (after != null) {
      EntryId id = after.id();
      condition.behind("partition_no, handler, seq", id.partition(), id.handler(), id.seq());
    }
    return list(connection, deferred, condition, BY_LANE, limit, this::deferred);
  }

  long countDeferred(Connection connection, Filter filter) throws SQLException {
    return count(connection, tables.deferred(), ofDeferred(filter));
  }

  private FilterCondition ofDeferred(Filter filter) {
    return new FilterCondition(dialect, filter, "deferred_at", "last_error");
  }

  private DeferredEntry deferred(ResultSet row) throws SQLException {
    return new DeferredEntry(
        Rows.ready(dialect, row),
        row.getString(15),
        Rows.reason(row.getString(16)),
        row.getInt(17),
        row.getString(18),
        dialect.time(row, 19),
        Rows.instant(dialect, row, 20));
  }

  // --- history

  List<HistoryEntry> history(Connection connection, Filter filter, @Nullable Place after, int limit)
      throws SQLException {
    FilterCondition condition = ofHistory(filter);
    Instant time = after == null ? null : after.time();
    if (after != null && time != null) {
      EntryId id = after.id();
      condition.behind("seq, handler, delivered_at", id.seq(), id.handler(), time);
    }
    return list(connection, history, condition, BY_SEQ_AND_TIME, limit, this::delivered);
  }

  long countHistory(Connection connection, Filter filter) throws SQLException {
    return count(connection, tables.history(), ofHistory(filter));
  }

  private FilterCondition ofHistory(Filter filter) {
    return new FilterCondition(dialect, filter, "delivered_at", null);
  }

  private HistoryEntry delivered(ResultSet row) throws SQLException {
    return new HistoryEntry(
        Rows.ready(dialect, row), row.getString(15), Rows.instant(dialect, row, 16));
  }

  // --- all of them

  private static <T> Optional<T> one(
      Connection connection, String select, EntryId id, RowReader<T> reader) throws SQLException {
    String sql = select + " WHERE partition_no = ? AND seq = ? AND handler = ?";
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      read.setInt(1, id.partition());
      read.setLong(2, id.seq());
      read.setString(3, id.handler());
      try (ResultSet row = read.executeQuery()) {
        return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
      }
    }
  }

  private <T> List<T> list(
      Connection connection,
      String select,
      FilterCondition condition,
      String order,
      int limit,
      RowReader<T> reader)
      throws SQLException {
    String sql =
        withoutPayload(select)
            + condition.sql()
            + " ORDER BY "
            + order
            + " "
            + dialect.firstRows("?");
    List<T> entries = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      read.setInt(condition.bind(read), limit);
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          entries.add(reader.read(rows));
        }
      }
    }
    return entries;
  }

  private static long count(Connection connection, String table, FilterCondition condition)
      throws SQLException {
    String sql = "SELECT count(*) FROM " + table + condition.sql();
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      condition.bind(read);
      try (ResultSet row = read.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
