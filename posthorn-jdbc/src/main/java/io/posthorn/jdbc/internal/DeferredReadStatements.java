/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore.ReadSlice;
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
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads deferred rows: by lane, by handler in seq order, and by their time. Locks nothing, as reads
 * of ready rows.
 */
final class DeferredReadStatements {
  private final Dialect dialect;
  private final String nextHandler;
  private final String nextHandlers;
  private final String backlog;
  private final String backlogSlice;
  private final String lanes;
  private final String lane;
  private final String due;
  private final String dueLanes;
  private final String lanesBlockedByHand;

  DeferredReadStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    String columns = Rows.deferredColumns(dialect, "due_at");
    // Served by the primary key: one probe for each handler of a partition, however many rows.
    this.nextHandler =
        "SELECT handler FROM %s WHERE partition_no = ? AND handler > ? ORDER BY handler LIMIT 1"
            .formatted(table);
    this.nextHandlers =
        "SELECT s.part, n.handler FROM unnest(?::smallint[], ?::text[]) AS s(part, prev) CROSS JOIN LATERAL (SELECT handler FROM %s WHERE partition_no = s.part AND handler > s.prev ORDER BY handler LIMIT 1) n"
            .formatted(table);
    // Served by the primary key; the head of each row's lane is one probe of the lane index.
    String withHead =
        """
        SELECT %s FROM (
          SELECT d.*, (SELECT h.due_at FROM %s h WHERE h.partition_no = d.partition_no AND h.handler = d.handler
                          AND h.message_key = d.message_key AND h.in_lane ORDER BY h.seq LIMIT 1) AS head_due
            FROM %s d WHERE d.partition_no = %%s AND d.handler = %%s AND d.in_lane AND d.seq > %%s
           ORDER BY d.seq LIMIT %%s) r"""
            .formatted(backlogColumns(dialect), table, table);
    this.backlogSlice = withHead.formatted("?", "?", "?", "?");
    this.backlog =
        "SELECT b.* FROM unnest(?::smallint[], ?::bigint[], ?::integer[]) AS s(part, after_seq, most) CROSS JOIN LATERAL ("
            + withHead.formatted("s.part", "?", "s.after_seq", "s.most")
            + ") b";
    // Served by the lane index.
    this.lanes =
        """
        SELECT d.* FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, handler_name, lane_key)
         CROSS JOIN LATERAL (
           SELECT %s FROM %s WHERE partition_no = l.part AND handler = l.handler_name AND message_key = l.lane_key
              AND in_lane ORDER BY seq LIMIT ?) d
        """
            .formatted(columns, table);
    this.lane =
        "SELECT %s FROM %s WHERE partition_no = ? AND handler = ? AND message_key = ? AND in_lane ORDER BY seq LIMIT ?"
            .formatted(columns, table);
    String laneColumns = "partition_no, handler, message_key, due_at, seq";
    String dueNow = " AND due_at <= (SELECT " + dialect.now() + ")";
    this.due = each(table, columns + ", due_at", "NOT in_lane" + dueNow, "due_at, seq");
    this.dueLanes = each(table, laneColumns, "in_lane" + dueNow, "due_at, seq");
    // Served by the primary key: one short range for each partition and handler.
    this.lanesBlockedByHand = each(table, laneColumns, "in_lane AND seq < 0", "seq");
  }

  /**
   * Served by the due index, if times are asked for: with arrays one short range for each partition
   * and handler, so that those with many rows cost no more than others. The sub-select for the time
   * makes it a constant of the scan.
   */
  private String each(String table, String columns, String condition, String order) {
    String rows =
        "SELECT %s FROM %s WHERE partition_no %%s AND handler %%s AND %s ORDER BY %s LIMIT ?"
            .formatted(columns, table, condition, order);
    return dialect.hasArrays()
        ? "SELECT d.* FROM unnest(?::smallint[]) AS p(part) CROSS JOIN unnest(?::text[]) AS h(handler_name) CROSS JOIN LATERAL ("
            + rows.formatted("= p.part", "= h.handler_name")
            + ") d ORDER BY d."
            + order.replace(", ", ", d.")
            + " LIMIT ?"
        : rows.formatted("IN (%1$s)", "IN (%2$s)");
  }

  private static String backlogColumns(Dialect dialect) {
    String payloadIfDue =
        " CASE WHEN head_due > %s THEN NULL ELSE payload END AS payload,".formatted(dialect.now());
    return Rows.deferredColumns(dialect, "head_due").replace(" payload,", payloadIfDue);
  }

  /** For each partition the handlers that have rows: a probe for each, however many rows. */
  Map<Integer, Set<String>> handlers(Connection connection, Collection<Integer> partitions)
      throws SQLException {
    Map<Integer, Set<String>> found = new HashMap<>();
    Map<Integer, String> last = new HashMap<>();
    partitions.forEach(partition -> last.put(partition, ""));
    while (!last.isEmpty()) {
      Map<Integer, String> next =
          dialect.hasArrays() ? nextHandlers(connection, last) : nextByProbe(connection, last);
      next.forEach(
          (partition, handler) ->
              found.computeIfAbsent(partition, any -> new TreeSet<>()).add(handler));
      last.clear();
      last.putAll(next);
    }
    return found;
  }

  private Map<Integer, String> nextHandlers(Connection connection, Map<Integer, String> last)
      throws SQLException {
    List<Map.Entry<Integer, String>> places = List.copyOf(last.entrySet());
    Map<Integer, String> next = new HashMap<>();
    try (PreparedStatement read = indexed(nextHandlers).prepare(connection)) {
      BulkStatements.bind(read, 1, "smallint", places, place -> place.getKey().shortValue());
      BulkStatements.bind(read, 2, "text", places, Map.Entry::getValue);
      try (ResultSet rows = indexed(nextHandlers).execute(read)) {
        while (rows.next()) {
          next.put(rows.getInt(1), rows.getString(2));
        }
      }
    }
    return next;
  }

  private Map<Integer, String> nextByProbe(Connection connection, Map<Integer, String> last)
      throws SQLException {
    Map<Integer, String> next = new HashMap<>();
    try (PreparedStatement read = connection.prepareStatement(nextHandler)) {
      for (Map.Entry<Integer, String> place : last.entrySet()) {
        read.setInt(1, place.getKey());
        read.setString(2, place.getValue());
        try (ResultSet row = read.executeQuery()) {
          if (row.next()) {
            next.put(place.getKey(), row.getString(1));
          }
        }
      }
    }
    return next;
  }

  List<DeferredMessage> backlog(Connection connection, String handler, List<ReadSlice> slices)
      throws SQLException {
    List<DeferredMessage> messages = new ArrayList<>();
    if (dialect.hasArrays()) {
      try (PreparedStatement read = indexed(backlog).prepare(connection)) {
        BulkStatements.bind(read, 1, "smallint", slices, slice -> (short) slice.partition());
        BulkStatements.bind(read, 2, "bigint", slices, ReadSlice::afterSeq);
        BulkStatements.bind(read, 3, "integer", slices, ReadSlice::limit);
        read.setString(4, handler);
        add(indexed(backlog).execute(read), messages);
      }
    } else {
      try (PreparedStatement read = connection.prepareStatement(backlogSlice)) {
        for (ReadSlice slice : slices) {
          read.setInt(1, slice.partition());
          read.setString(2, handler);
          read.setLong(3, slice.afterSeq());
          read.setInt(4, slice.limit());
          add(read.executeQuery(), messages);
        }
      }
    }
    return inOrder(messages);
  }

  List<DeferredMessage> lanes(Connection connection, Collection<LaneId> wanted, int limit)
      throws SQLException {
    List<DeferredMessage> messages = new ArrayList<>();
    if (dialect.hasArrays()) {
      List<LaneId> listed = List.copyOf(wanted);
      try (PreparedStatement read = indexed(lanes).prepare(connection)) {
        BulkStatements.bind(read, 1, "smallint", listed, id -> (short) id.partition());
        BulkStatements.bind(read, 2, "text", listed, LaneId::handler);
        BulkStatements.bind(read, 3, "text", listed, LaneId::key);
        read.setInt(4, limit);
        add(indexed(lanes).execute(read), messages);
      }
    } else {
      try (PreparedStatement read = connection.prepareStatement(lane)) {
        for (LaneId id : wanted) {
          read.setInt(1, id.partition());
          read.setString(2, id.handler());
          read.setString(3, id.key());
          read.setInt(4, limit);
          add(read.executeQuery(), messages);
        }
      }
    }
    return inOrder(messages);
  }

  private static List<DeferredMessage> inOrder(List<DeferredMessage> messages) {
    messages.sort(Comparator.comparingLong(row -> row.message().seq()));
    return messages;
  }

  List<DeferredMessage> due(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int limit)
      throws SQLException {
    List<DeferredMessage> messages = new ArrayList<>();
    each(connection, due, partitions, handlers, limit, row -> messages.add(Rows.deferred(row)));
    return messages;
  }

  List<LaneId> dueLanes(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int limit)
      throws SQLException {
    return laneIds(connection, dueLanes, partitions, handlers, limit);
  }

  List<LaneId> lanesBlockedByHand(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int limit)
      throws SQLException {
    return laneIds(connection, lanesBlockedByHand, partitions, handlers, limit);
  }

  private List<LaneId> laneIds(
      Connection connection,
      String sql,
      Collection<Integer> partitions,
      Collection<String> handlers,
      int limit)
      throws SQLException {
    List<LaneId> found = new ArrayList<>();
    each(
        connection,
        sql,
        partitions,
        handlers,
        limit,
        row -> found.add(new LaneId(row.getInt(1), row.getString(2), row.getString(3))));
    return found;
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
    IndexedQuery query = indexed(filled);
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
      read.setInt(4, limit);
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

  private IndexedQuery indexed(String sql) {
    return new IndexedQuery(dialect, sql);
  }

  private static void add(ResultSet found, List<DeferredMessage> messages) throws SQLException {
    try (ResultSet rows = found) {
      while (rows.next()) {
        messages.add(Rows.deferred(rows));
      }
    }
  }

  private static String marks(int count) {
    return "?" + ", ?".repeat(count - 1);
  }
}
