/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueRequest.Heads;
import io.posthorn.spi.RelayStore.DueResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads deferred rows whose time has come, with those that stand behind them in their lanes. The
 * first row of a lane always has a time, which settles see to, so that however many rows and lanes
 * there are, only those that are due are looked at. Locks nothing.
 */
final class DueStatements {
  private static final int SLICES_PER_STATEMENT = 100;

  private final Dialect dialect;
  private final IndexedQuery due;
  private final String heads;
  private final String row;
  private final String lane;

  DueStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    String columns = Rows.deferredColumns(dialect) + ", " + Rows.bytes(dialect) + " AS bytes";
    // Served by the due index; that a row is the first of its lane is one probe of the lane index.
    // The sub-select for the time makes it a constant of the scan.
    String headsOf =
        """
        SELECT d.partition_no, d.handler, d.message_key, d.seq, d.in_lane FROM %1$s d
         WHERE d.partition_no = %%1$s AND d.handler = %%2$s AND d.due_at <= (SELECT %2$s%3$s)%%3$s
           AND (d.in_lane = %4$s OR d.seq = %%4$s)"""
            .formatted(table, dialect.now(), dialect.fromNothing(), dialect.literal(false));
    String inOrder = " ORDER BY d.due_at, d.seq ";
    this.heads =
        headsOf.formatted(
                "?",
                "?",
                "",
                "(SELECT min(e.seq) FROM %s e WHERE e.partition_no = d.partition_no AND e.handler = d.handler AND e.message_key = d.message_key AND e.in_lane = %s)"
                    .formatted(table, dialect.literal(true)))
            + inOrder
            + dialect.firstRows("?");
    // Served by the primary key, and by the lane index.
    String rowOf =
        "SELECT %s FROM %s WHERE partition_no = %%s AND handler = %%s AND seq = %%s"
            .formatted(columns, table);
    String laneOf =
        "SELECT %s FROM %s WHERE partition_no = %%s AND handler = %%s AND message_key = %%s AND in_lane = %s"
            .formatted(columns, table, dialect.literal(true));
    this.row = rowOf.formatted("?", "?", "?");
    this.lane = laneOf.formatted("?", "?", "?") + " ORDER BY seq " + dialect.firstRows("?");
    this.due =
        new IndexedQuery(
            dialect,
            """
            SELECT r.* FROM (
              SELECT l.*, sum(l.bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes_so_far
                FROM unnest(?::smallint[], ?::text[], ?::integer[]) AS s(part, name, most)
               CROSS JOIN LATERAL (%s AND (d.handler, d.seq) NOT IN (SELECT * FROM unnest(?::text[], ?::bigint[]))%sLIMIT s.most) h
               CROSS JOIN LATERAL (
                 (%s AND NOT h.in_lane) UNION ALL (%s AND %s LIMIT ?)) l) r
             WHERE r.bytes_so_far - r.bytes < ? LIMIT ?
            """
                .formatted(
                    headsOf.formatted(
                        "s.part",
                        "s.name",
                        " AND d.due_at >= " + DeferredFloors.dueFloor(tables, "s.part", "s.name"),
                        "(SELECT e.seq FROM %s e WHERE %s LIMIT 1)"
                            .formatted(
                                table,
                                LaneWake.laneFrom(
                                    "e",
                                    "s.part",
                                    "s.name",
                                    "d.message_key",
                                    DeferredFloors.seqFloor(tables, "s.part", "s.name")))),
                    inOrder,
                    rowOf.formatted("h.partition_no", "h.handler", "h.seq"),
                    "SELECT %s FROM %s d WHERE h.in_lane".formatted(columns, table),
                    LaneWake.laneFrom(
                        "d", "h.partition_no", "h.handler", "h.message_key", "h.seq")));
  }

  DueResult read(Connection connection, DueRequest request) throws SQLException {
    if (request.slices().isEmpty()) {
      return new DueResult(List.of(), false);
    }
    return dialect.hasArrays()
        ? readByArrays(connection, request)
        : readBySlice(connection, request);
  }

  private DueResult readByArrays(Connection connection, DueRequest request) throws SQLException {
    try (PreparedStatement read = due.prepare(connection)) {
      List<DueRequest.Row> known = List.copyOf(request.known());
      BulkStatements.bind(
          read, 1, "smallint", request.slices(), slice -> (short) slice.partition());
      BulkStatements.bind(read, 2, "text", request.slices(), Heads::handler);
      BulkStatements.bind(read, 3, "integer", request.slices(), Heads::most);
      BulkStatements.bind(read, 4, "text", known, DueRequest.Row::handler);
      BulkStatements.bind(read, 5, "bigint", known, DueRequest.Row::seq);
      read.setInt(6, request.rowsPerLane());
      read.setLong(7, request.maxBytes());
      read.setInt(8, request.maxRows());
      try (ResultSet rows = due.execute(read)) {
        Collected collected = new Collected(request);
        while (rows.next()) {
          collected.add(rows, rows.getLong(Rows.DEFERRED_COLUMNS + 2));
        }
        return collected.result();
      }
    }
  }

  /** What a read returns, as it comes in. */
  private final class Collected {
    private final DueRequest request;
    private final List<DeferredMessage> rows = new ArrayList<>();
    private long bytes;

    Collected(DueRequest request) {
      this.request = request;
    }

    void add(ResultSet row, long bytesSoFar) throws SQLException {
      rows.add(Rows.deferred(dialect, row));
      bytes = bytesSoFar;
    }

    long bytes() {
      return bytes;
    }

    boolean isCut() {
      return rows.size() >= request.maxRows() || bytes >= request.maxBytes();
    }

    DueResult result() {
      return new DueResult(rows, isCut());
    }
  }

  /** A row that is due and stands behind no other. */
  private record Head(
      int partition, String handler, @Nullable String key, long seq, boolean inLane) {}

  private DueResult readBySlice(Connection connection, DueRequest request) throws SQLException {
    Collected collected = new Collected(request);
    try (PreparedStatement readRow = connection.prepareStatement(row);
        PreparedStatement readLane = connection.prepareStatement(lane)) {
      for (Head head : heads(connection, request)) {
        if (collected.isCut()) {
          break;
        }
        PreparedStatement read = head.inLane ? readLane : readRow;
        read.setInt(1, head.partition);
        read.setString(2, head.handler);
        if (head.inLane) {
          read.setString(3, head.key);
          read.setInt(4, request.rowsPerLane());
        } else {
          read.setLong(3, head.seq);
        }
        try (ResultSet rows = read.executeQuery()) {
          while (!collected.isCut() && rows.next()) {
            collected.add(rows, collected.bytes() + rows.getLong(Rows.DEFERRED_COLUMNS + 1));
          }
        }
      }
    }
    return collected.result();
  }

  /** Where heads are looked for. */
  private record Slice(int partition, String handler) {}

  /** One statement looks into many slices, since most of them have no row that is due. */
  private List<Head> heads(Connection connection, DueRequest request) throws SQLException {
    Set<DueRequest.Row> known = new HashSet<>(request.known());
    List<Head> found = new ArrayList<>();
    for (int from = 0; from < request.slices().size(); from += SLICES_PER_STATEMENT) {
      int to = Math.min(request.slices().size(), from + SLICES_PER_STATEMENT);
      heads(connection, request.slices().subList(from, to), known, found);
    }
    return found;
  }

  private void heads(
      Connection connection, List<Heads> slices, Set<DueRequest.Row> known, List<Head> found)
      throws SQLException {
    String query =
        slices.size() == 1
            ? heads
            : String.join(
                " UNION ALL ", Collections.nCopies(slices.size(), dialect.inUnion(heads)));
    Map<Slice, List<Head>> bySlice = new LinkedHashMap<>();
    Map<Slice, Integer> most = new HashMap<>();
    try (PreparedStatement read = connection.prepareStatement(query)) {
      int i = 1;
      for (Heads slice : slices) {
        read.setInt(i++, slice.partition());
        read.setString(i++, slice.handler());
        read.setInt(i++, slice.most() + known.size());
        bySlice.put(new Slice(slice.partition(), slice.handler()), new ArrayList<>());
        most.put(new Slice(slice.partition(), slice.handler()), slice.most());
      }
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          Head head =
              new Head(
                  rows.getInt(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getLong(4),
                  rows.getBoolean(5));
          Slice slice = new Slice(head.partition, head.handler);
          List<Head> some = requireNonNull(bySlice.get(slice));
          if (some.size() < requireNonNull(most.get(slice))
              && !known.contains(new DueRequest.Row(head.partition, head.seq, head.handler))) {
            some.add(head);
          }
        }
      }
    }
    bySlice.values().forEach(found::addAll);
  }
}
