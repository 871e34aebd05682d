/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadSlice;
import io.posthorn.spi.StoredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Reads ready and deferred rows. Locks nothing: ownership makes the relay's memory authoritative.
 */
final class ReadStatements {
  private final Dialect dialect;
  private final String readReady;
  private final String readSlice;
  private final String deferredLanes;
  private final String readLanes;
  private final String readLane;
  private final String readDue;

  ReadStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String ready = Rows.readyColumns(dialect);
    String deferred = Rows.deferredColumns(dialect);
    // Served by the primary key: one index scan for each partition. Known rows are left out by a
    // sub-select, which is hashed once; "<> ALL (array)" would walk the array for each row.
    this.readReady =
        """
        WITH horizon(oldest, upcoming) AS MATERIALIZED (%s)
        SELECT m.*, oldest, upcoming FROM horizon LEFT JOIN (
          SELECT r.* FROM unnest(?::smallint[], ?::bigint[], ?::integer[]) AS p(part, after_seq, most)
           CROSS JOIN LATERAL (
             SELECT %s FROM %s WHERE partition_no = p.part AND seq > p.after_seq
                AND seq NOT IN (SELECT unnest(?::bigint[])) ORDER BY seq LIMIT p.most) r) m ON true
        """
            .formatted(
                dialect.snapshotBounds().orElse("SELECT 0, " + Long.MAX_VALUE),
                ready,
                tables.message());
    this.readSlice =
        "SELECT %s FROM %s WHERE partition_no = ? AND seq > ? ORDER BY seq LIMIT ?"
            .formatted(ready, tables.message());
    // Served by the lane index.
    this.deferredLanes =
        "SELECT DISTINCT partition_no, handler, message_key FROM %s WHERE partition_no = ? AND message_key IS NOT NULL AND handler <> '*'"
            .formatted(tables.deferred());
    this.readLanes =
        """
        SELECT d.* FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, handler_name, lane_key)
         CROSS JOIN LATERAL (
           SELECT %s FROM %s WHERE partition_no = l.part AND handler = l.handler_name AND message_key = l.lane_key
            ORDER BY seq LIMIT ?) d
        """
            .formatted(deferred, tables.deferred());
    this.readLane =
        "SELECT %s FROM %s WHERE partition_no = ? AND handler = ? AND message_key = ? ORDER BY seq LIMIT ?"
            .formatted(deferred, tables.deferred());
    // Served by the due index; the sub-select makes the time a constant of the scan.
    this.readDue =
        "SELECT %s FROM %s WHERE partition_no IN (%%s) AND handler IN (%%s) AND (message_key IS NULL OR handler = '*') AND due_at <= (SELECT %s) ORDER BY due_at, seq LIMIT ?"
            .formatted(deferred, tables.deferred(), dialect.now());
  }

  ReadResult read(Connection connection, List<ReadSlice> slices, long[] known) throws SQLException {
    return dialect.hasArrays()
        ? readByArrays(connection, slices, known)
        : ReadResult.ofUnknown(inOrder(readBySlice(connection, slices, known)));
  }

  private static List<StoredMessage> inOrder(List<StoredMessage> rows) {
    rows.sort(Comparator.comparingLong(StoredMessage::seq));
    return rows;
  }

  private ReadResult readByArrays(Connection connection, List<ReadSlice> slices, long[] known)
      throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(readReady)) {
      bindSlices(connection, read, slices, known);
      List<StoredMessage> messages = new ArrayList<>();
      long oldest = 0;
      long upcoming = 0;
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          if (messages.isEmpty()) {
            oldest = rows.getLong(15);
            upcoming = rows.getLong(16);
          }
          if (rows.getLong(2) > 0) { // else the one row that only tells of the snapshot
            messages.add(Rows.ready(rows));
          }
        }
      }
      return new ReadResult(inOrder(messages), oldest, upcoming);
    }
  }

  private static void bindSlices(
      Connection connection, PreparedStatement read, List<ReadSlice> slices, long[] known)
      throws SQLException {
    // The parameters follow the order of their places in the text: those of FROM, then the known
    // seqs.
    Object[] partitions = slices.stream().map(slice -> (short) slice.partition()).toArray();
    read.setArray(1, connection.createArrayOf("smallint", partitions));
    read.setArray(
        2, connection.createArrayOf("bigint", slices.stream().map(ReadSlice::afterSeq).toArray()));
    read.setArray(
        3, connection.createArrayOf("integer", slices.stream().map(ReadSlice::limit).toArray()));
    read.setArray(4, connection.createArrayOf("bigint", LongStream.of(known).boxed().toArray()));
  }

  private List<StoredMessage> readBySlice(
      Connection connection, List<ReadSlice> slices, long[] known) throws SQLException {
    Set<Long> skip = LongStream.of(known).boxed().collect(Collectors.toCollection(HashSet::new));
    List<StoredMessage> messages = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(readSlice)) {
      for (ReadSlice slice : slices) {
        read.setInt(1, slice.partition());
        read.setLong(2, slice.afterSeq());
        read.setInt(3, slice.limit() + skip.size());
        int left = slice.limit();
        try (ResultSet rows = read.executeQuery()) {
          while (left > 0 && rows.next()) {
            if (!skip.contains(rows.getLong(2))) {
              messages.add(Rows.ready(rows));
              left--;
            }
          }
        }
      }
    }
    return messages;
  }

  List<LaneId> deferredLanes(Connection connection, Collection<Integer> partitions)
      throws SQLException {
    List<LaneId> lanes = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(deferredLanes)) {
      for (int partition : partitions) {
        read.setInt(1, partition);
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            lanes.add(new LaneId(rows.getInt(1), rows.getString(2), rows.getString(3)));
          }
        }
      }
    }
    return lanes;
  }

  List<DeferredMessage> readLanes(Connection connection, Collection<LaneId> lanes, int limit)
      throws SQLException {
    List<DeferredMessage> messages = new ArrayList<>();
    if (dialect.hasArrays()) {
      try (PreparedStatement read = connection.prepareStatement(readLanes)) {
        read.setArray(
            1,
            connection.createArrayOf(
                "smallint", lanes.stream().map(lane -> (short) lane.partition()).toArray()));
        read.setArray(
            2, connection.createArrayOf("text", lanes.stream().map(LaneId::handler).toArray()));
        read.setArray(
            3, connection.createArrayOf("text", lanes.stream().map(LaneId::key).toArray()));
        read.setInt(4, limit);
        addDeferred(read, messages);
      }
    } else {
      try (PreparedStatement read = connection.prepareStatement(readLane)) {
        for (LaneId lane : lanes) {
          read.setInt(1, lane.partition());
          read.setString(2, lane.handler());
          read.setString(3, lane.key());
          read.setInt(4, limit);
          addDeferred(read, messages);
        }
      }
    }
    messages.sort(Comparator.comparingLong(row -> row.message().seq()));
    return messages;
  }

  List<DeferredMessage> readDue(
      Connection connection, Collection<Integer> partitions, Collection<String> handlers, int limit)
      throws SQLException {
    if (partitions.isEmpty() || handlers.isEmpty()) {
      return List.of();
    }
    String sql = readDue.formatted(marks(partitions.size()), marks(handlers.size()));
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      int i = 1;
      for (int partition : partitions) {
        read.setInt(i++, partition);
      }
      for (String handler : handlers) {
        read.setString(i++, handler);
      }
      read.setInt(i, limit);
      List<DeferredMessage> messages = new ArrayList<>();
      addDeferred(read, messages);
      return messages;
    }
  }

  private static void addDeferred(PreparedStatement read, List<DeferredMessage> messages)
      throws SQLException {
    try (ResultSet rows = read.executeQuery()) {
      while (rows.next()) {
        messages.add(Rows.deferred(rows));
      }
    }
  }

  private static String marks(int count) {
    return "?" + ", ?".repeat(count - 1);
  }
}
