/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks at deferred rows: which lanes are blocked, what a handler has that nobody knows. Locks
 * nothing.
 */
final class DeferredReadStatements {
  private final Dialect dialect;
  private final String ofHandler;
  private final String lanesBlockedByHand;
  private final String lanes;

  DeferredReadStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    // Served by the primary key.
    this.ofHandler =
        "SELECT %s FROM %s WHERE partition_no = ? AND handler = ? AND seq >= %s AND seq > ? ORDER BY seq %s"
            .formatted(
                Rows.smallDeferredColumns(dialect),
                table,
                DeferredFloors.seqFloor(tables, "?", "?"),
                dialect.firstRows("?"));
    // Served by the primary key: one short range for each partition and handler.
    this.lanesBlockedByHand =
        each(
            "partition_no, handler, message_key, seq",
            table,
            "in_lane = %s AND seq < 0".formatted(dialect.literal(true)),
            "seq");
    // Served by the due index: the first row of each lane has a time. Rows that stand in no lane
    // are there as well, any number of them, so that it is the rows that are limited.
    this.lanes =
        each(
            "partition_no, handler, in_lane",
            table,
            dialect.hasArrays()
                ? "due_at >= " + DeferredFloors.dueFloor(tables, "p.part", "h.handler_name")
                : "due_at IS NOT NULL",
            "due_at");
  }

  private String each(String columns, String table, String condition, String order) {
    String rows =
        "SELECT %s FROM %s WHERE partition_no %%s AND handler %%s AND %s ORDER BY %s %s"
            .formatted(columns, table, condition, order, dialect.firstRows("?"));
    return dialect.hasArrays()
        ? "SELECT d.* FROM unnest(?::smallint[]) AS p(part) CROSS JOIN unnest(?::text[]) AS h(handler_name) CROSS JOIN LATERAL ("
            + rows.formatted("= p.part", "= h.handler_name")
            + ") d"
        : rows.formatted("IN (%1$s)", "IN (%2$s)");
  }

  List<DeferredMessage> ofHandler(Connection connection, String handler, List<Slice> slices)
      throws SQLException {
    List<DeferredMessage> messages = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(ofHandler)) {
      for (Slice slice : slices) {
        read.setInt(1, slice.partition());
        read.setString(2, handler);
        read.setInt(3, slice.partition());
        read.setString(4, handler);
        read.setLong(5, slice.afterSeq());
        read.setInt(6, slice.limit());
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            messages.add(Rows.deferred(dialect, rows));
          }
        }
      }
    }
    messages.sort(Comparator.comparingLong(row -> row.message().seq()));
    return messages;
  }

  List<LaneId> lanesBlockedByHand(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int limit)
      throws SQLException {
    List<LaneId> found = new ArrayList<>();
    each(
        connection,
        lanesBlockedByHand,
        partitions,
        handlers,
        limit,
        row -> found.add(new LaneId(row.getInt(1), row.getString(2), row.getString(3))));
    return found;
  }

  Map<String, Integer> countLanes(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int most)
      throws SQLException {
    Map<String, Integer> counts = new HashMap<>();
    each(
        connection,
        lanes,
        partitions,
        handlers,
        most,
        row -> counts.merge(row.getString(2), row.getBoolean(3) ? 1 : 0, Integer::sum));
    return counts;
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private void each(
      Connection connection,
      String sql,
      Collection<Integer> partitions,
      Collection<String> handlers,
      int limit,
      RowReader reader)
      throws SQLException {
    if (partitions.isEmpty() || handlers.isEmpty()) {
      return;
    }
    String filled =
        dialect.hasArrays() ? sql : sql.formatted(marks(partitions.size()), marks(handlers.size()));
    IndexedQuery query = new IndexedQuery(dialect, filled);
    try (PreparedStatement read = query.prepare(connection)) {
      bindEach(read, partitions, handlers, limit);
      try (ResultSet rows = query.execute(read)) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
  }

  private void bindEach(
      PreparedStatement read,
      Collection<Integer> partitions,
      Collection<String> handlers,
      int limit)
      throws SQLException {
    if (dialect.hasArrays()) {
      BulkStatements.bind(
          read, 1, "smallint", List.copyOf(partitions), partition -> (short) (int) partition);
      BulkStatements.bind(read, 2, "text", List.copyOf(handlers), handler -> handler);
      read.setInt(3, limit);
      return;
    }
    int i = 1;
    for (int partition : partitions) {
      read.setInt(i++, partition);
    }
    for (String handler : handlers) {
      read.setString(i++, handler);
    }
    read.setInt(i, limit);
  }

  private static String marks(int count) {
    return "?" + ", ?".repeat(count - 1);
  }
}
