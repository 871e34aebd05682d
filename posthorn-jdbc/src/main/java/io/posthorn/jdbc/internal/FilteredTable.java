/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.internal.FilterCondition.Condition;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Counted;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.AdminStore.Slice;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists, finds and counts the rows of one table for operators. Lists follow the primary key and
 * begin behind the last row of the page before, so that each is a range of an index. A filter that
 * no index serves passes rows over; then it is asked first where the row stands that is {@link
 * AdminStore#MAX_ROWS_EXAMINED} further on, and the list ends there at the latest. So no statement
 * reads more rows, however long the table is. Payloads are read for single entries only.
 */
final class FilteredTable<T extends Entry> {
  private final Dialect dialect;
  private final Columns columns;
  private final RowReader<T> reader;
  private final String all;
  private final String select;
  private final String end;
  private final String count;

  /**
   * What there is to know of the table.
   *
   * @param handler the column, or what stands for it
   * @param more what a row has beside the message and its handler
   * @param order the columns of the primary key; a place has values for them
   * @param indexed columns by which rows are found in that order
   * @param time since when an entry is what it is
   * @param error null: there is none
   */
  record Columns(
      String table,
      String handler,
      String more,
      List<String> order,
      Set<String> indexed,
      String time,
      @Nullable String error) {
    private String ordered() {
      return String.join(", ", order);
    }

    private Object value(String column, Place place) {
      return switch (column) {
        case "partition_no" -> place.id().partition();
        case "seq" -> place.id().seq();
        case "handler" -> place.id().handler();
        default -> requireNonNull(place.time(), "time");
      };
    }

    /** The first column once more: MySQL and MariaDB find no range by a comparison of rows. */
    private void limited(Dialect dialect, Condition condition, String side, Place place) {
      Object[] values = order.stream().map(column -> value(column, place)).toArray();
      TupleOrder rows = new TupleOrder(dialect, ordered());
      condition
          .add("%s %s= ?".formatted(order.get(0), side.charAt(0)), values[0])
          .add(rows.compared(side), rows.values(values).toArray());
    }
  }

  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  FilteredTable(Dialect dialect, Columns columns, RowReader<T> reader) {
    this.dialect = dialect;
    this.columns = columns;
    this.reader = reader;
    this.all = "%s, %s, %s".formatted(Rows.readyColumns(dialect), columns.handler, columns.more);
    this.select = "SELECT %s FROM %s".formatted(all, columns.table);
    boolean timed = columns.order.contains(columns.time);
    this.end =
        "SELECT partition_no, seq, %s%s FROM %s%%s ORDER BY %s %s"
            .formatted(
                columns.handler,
                timed ? ", " + columns.time : "",
                columns.table,
                columns.ordered(),
                dialect.rowAfter(AdminStore.MAX_ROWS_EXAMINED - 1));
    this.count = "SELECT count(*) FROM " + columns.table;
  }

  Optional<T> find(Connection connection, EntryId id, boolean lock) throws SQLException {
    String byId = "WHERE partition_no = ? AND seq = ? AND handler = ?";
    String sql =
        lock
            ? dialect.lockingQuery(all, columns.table, byId, dialect.lockRows())
            : select + " " + byId;
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      read.setInt(1, id.partition());
      read.setLong(2, id.seq());
      read.setString(3, id.handler());
      try (ResultSet row = read.executeQuery()) {
        return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
      }
    }
  }

  /**
   * All rows of one message, with their payloads.
   *
   * @param handlers a query for the handlers that may have some; null if an index finds them
   */
  List<T> ofMessage(Connection connection, int partition, long seq, @Nullable String handlers)
      throws SQLException {
    String sql =
        select
            + " WHERE partition_no = ? AND seq = ?"
            + (handlers == null ? "" : " AND handler IN (" + handlers + ")")
            + " ORDER BY "
            + columns.ordered();
    List<T> found = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      read.setInt(1, partition);
      read.setLong(2, seq);
      if (handlers != null) {
        read.setInt(3, partition);
      }
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          found.add(reader.read(rows));
        }
      }
    }
    return found;
  }

  Slice<T> list(Connection connection, Filter filter, @Nullable Place after, int limit)
      throws SQLException {
    FilterCondition condition = condition(filter);
    Place end = condition.passesOverRows() ? end(connection, condition, after) : null;
    List<T> found =
        read(
            connection,
            between(condition.whole(), after, end),
            columns.ordered(),
            limit + 1); // one more tells whether there is another part
    if (found.size() <= limit) {
      return new Slice<>(found, end);
    }
    return new Slice<>(found.subList(0, limit), place(found.get(limit - 1)));
  }

  Counted count(Connection connection, Filter filter, @Nullable Place after) throws SQLException {
    FilterCondition condition = condition(filter);
    Place end = end(connection, condition, after);
    Condition whole = between(condition.whole(), after, end);
    try (PreparedStatement read = connection.prepareStatement(count + whole.where())) {
      whole.bind(read);
      try (ResultSet row = read.executeQuery()) {
        row.next();
        return new Counted(row.getLong(1), end);
      }
    }
  }

  /**
   * The rows at the end of the primary key, the last one first.
   *
   * @param handler null: of all handlers
   */
  List<T> latest(Connection connection, @Nullable String handler, int limit) throws SQLException {
    Filter filter = handler == null ? Filter.all() : Filter.all().handler(handler);
    String backwards = String.join(" DESC, ", columns.order) + " DESC";
    return read(connection, condition(filter).whole(), backwards, limit);
  }

  private FilterCondition condition(Filter filter) {
    return new FilterCondition(dialect, filter, columns.time, columns.error, columns.indexed);
  }

  private Condition between(Condition condition, @Nullable Place after, @Nullable Place end) {
    if (after != null) {
      columns.limited(dialect, condition, ">", after);
    }
    if (end != null) {
      columns.limited(dialect, condition, "<=", end);
    }
    return condition;
  }

  /** The last row that is examined; null if the table ends before. */
  private @Nullable Place end(
      Connection connection, FilterCondition condition, @Nullable Place after) throws SQLException {
    Condition lookedUp = between(condition.lookedUp(), after, null);
    String sql = end.formatted(lookedUp.where());
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      lookedUp.bind(read);
      try (ResultSet row = read.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        EntryId id = new EntryId(row.getInt(1), row.getLong(2), row.getString(3));
        boolean timed = columns.order.contains(columns.time);
        return new Place(id, timed ? Rows.instant(dialect, row, 4) : null);
      }
    }
  }

  private List<T> read(Connection connection, Condition condition, String order, int limit)
      throws SQLException {
    String sql =
        select.replace(" payload,", " NULL AS payload,")
            + condition.where()
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

  private static Place place(Entry entry) {
    return new Place(
        entry.id(), entry instanceof HistoryEntry delivered ? delivered.deliveredAt() : null);
  }
}
