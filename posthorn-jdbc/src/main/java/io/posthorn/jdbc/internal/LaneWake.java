/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore.DueRequest;
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
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Makes the first row of a lane due unless it has a time of its own. Relays look for times, so
 * whatever changes which row is the first is followed by this, in the same transaction.
 *
 * <p>A relay's settle and the transaction of a handler may change one lane side by side: one adds a
 * row behind the first, the other deletes the first, and neither sees what the other does. So the
 * first row is locked: whoever comes second waits, and then sees the whole. If the row has gone
 * meanwhile, the lane is looked at again, as long as it has rows: the next one may go as well.
 *
 * <p>Whoever changes deferred rows, be it a relay's settle, a handler's transaction or an operator,
 * first locks the first rows of their lanes, in the order of the lanes, and then the rows
 * themselves, in the order of their seqs. So no two of them wait for each other.
 */
final class LaneWake {
  private static final int MAX_ROUNDS = 20; // should a database go on showing what is gone

  private final Dialect dialect;
  private final String lockHead;
  private final IndexedQuery lockHeads;
  private final String anyRow;
  private final IndexedQuery withRows;
  private final String makeDue;
  private final IndexedQuery makeAllDue;

  LaneWake(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    // Served by the lane index. Lanes come sorted, so that all lock in the same order.
    String isLane =
        "WHERE partition_no = ? AND handler = ? AND message_key = ? AND in_lane = "
            + dialect.literal(true);
    this.lockHead =
        dialect.lockingQuery(
            "seq, due_at",
            table + dialect.servedBy(tables.laneIndex()),
            "%s ORDER BY seq %s".formatted(isLane, dialect.firstRows("1")),
            dialect.lockRows());
    String lane =
        laneFrom(
            "d",
            "l.part",
            "l.name",
            "l.lane_key",
            "COALESCE(%s, %d)"
                .formatted(DeferredFloors.seqFloor(tables, "l.part", "l.name"), Long.MIN_VALUE));
    this.lockHeads =
        IndexedQuery.inOrderAmongOthers(
            dialect,
            """
            SELECT l.part, l.name, l.lane_key, h.seq, h.due_at
              FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, name, lane_key)
             CROSS JOIN LATERAL (SELECT d.seq, d.due_at FROM %s d WHERE %s LIMIT 1 FOR UPDATE) h
            """
                .formatted(table, lane));
    // In an order that any index has: some databases limit ordered rows only.
    this.anyRow =
        "SELECT 1 FROM %s %s ORDER BY message_key %s"
            .formatted(table, isLane, dialect.firstRows("1"));
    this.withRows =
        IndexedQuery.inOrderAmongOthers(
            dialect,
            "SELECT l.part, l.name, l.lane_key FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, name, lane_key) WHERE (SELECT d.seq FROM %s d WHERE %s LIMIT 1) IS NOT NULL"
                .formatted(table, lane));
    // Both are served by the primary key.
    String makesDue = "UPDATE %s%s SET due_at = %s ";
    this.makeDue =
        makesDue.formatted(table, "", dialect.now())
            + "WHERE partition_no = ? AND handler = ? AND seq = ?";
    this.makeAllDue =
        IndexedQuery.byKeysAmongOthers(
            dialect,
            makesDue.formatted(table, " d", dialect.now())
                + "FROM unnest(?::smallint[], ?::text[], ?::bigint[]) AS x(part, name, row_seq) WHERE d.partition_no = x.part AND d.handler = x.name AND d.seq = x.row_seq AND d.seq >= x.row_seq");
  }

  /**
   * A condition for the rows of a lane from a seq on, in order. Written so that only the lane index
   * serves it: the primary key, which has the order of the seqs too, would walk over the rows of
   * other keys. For databases with arrays.
   */
  static String laneFrom(String row, String partition, String handler, String key, String fromSeq) {
    return """
        %1$s.partition_no = %2$s AND %1$s.handler = %3$s AND %1$s.in_lane
          AND (%1$s.message_key, %1$s.seq) >= (%4$s, %5$s) AND %1$s.message_key <= %4$s
        ORDER BY %1$s.message_key, %1$s.seq"""
        .formatted(row, partition, handler, key, fromSeq);
  }

  void wake(Connection connection, Collection<LaneId> lanes) throws SQLException {
    SortedSet<LaneId> left = sorted(lanes);
    for (int round = 0; round < MAX_ROUNDS && !left.isEmpty(); round++) {
      List<DueRequest.Row> timeless = new ArrayList<>();
      left.removeAll(
          dialect.hasArrays()
              ? lockAll(connection, List.copyOf(left), timeless)
              : lockEach(connection, List.copyOf(left), timeless));
      if (!timeless.isEmpty()) {
        makeDue(connection, timeless);
      }
      left.retainAll(withRows(connection, List.copyOf(left)));
    }
  }

  /** Locks the first rows of lanes, where there are any, and changes nothing. */
  void lockHeads(Connection connection, Collection<LaneId> lanes) throws SQLException {
    if (lanes.isEmpty()) {
      return;
    }
    List<LaneId> all = List.copyOf(sorted(lanes));
    if (dialect.hasArrays()) {
      lockAll(connection, all, new ArrayList<>());
    } else {
      lockEach(connection, all, new ArrayList<>());
    }
  }

  private static SortedSet<LaneId> sorted(Collection<LaneId> lanes) {
    SortedSet<LaneId> sorted =
        new TreeSet<>(
            Comparator.comparingInt(LaneId::partition)
                .thenComparing(LaneId::handler)
                .thenComparing(LaneId::key));
    sorted.addAll(lanes);
    return sorted;
  }

  /** Those of the lanes that have rows. */
  private Set<LaneId> withRows(Connection connection, List<LaneId> lanes) throws SQLException {
    Set<LaneId> found = new HashSet<>();
    if (lanes.isEmpty()) {
      return found;
    }
    if (dialect.hasArrays()) {
      try (PreparedStatement read = withRows.prepare(connection)) {
        bind(read, lanes);
        try (ResultSet rows = withRows.execute(read)) {
          while (rows.next()) {
            found.add(new LaneId(rows.getInt(1), rows.getString(2), rows.getString(3)));
          }
        }
      }
      return found;
    }
    try (PreparedStatement read = connection.prepareStatement(anyRow)) {
      for (LaneId lane : lanes) {
        bind(read, lane);
        try (ResultSet row = read.executeQuery()) {
          if (row.next()) {
            found.add(lane);
          }
        }
      }
    }
    return found;
  }

  private static void bind(PreparedStatement statement, List<LaneId> lanes) throws SQLException {
    BulkStatements.bind(statement, 1, "smallint", lanes, lane -> (short) lane.partition());
    BulkStatements.bind(statement, 2, "text", lanes, LaneId::handler);
    BulkStatements.bind(statement, 3, "text", lanes, LaneId::key);
  }

  private static void bind(PreparedStatement statement, LaneId lane) throws SQLException {
    statement.setInt(1, lane.partition());
    statement.setString(2, lane.handler());
    statement.setString(3, lane.key());
  }

  /** Locks the first rows of lanes; returns the lanes that have one. */
  private Set<LaneId> lockAll(
      Connection connection, List<LaneId> lanes, List<DueRequest.Row> timeless)
      throws SQLException {
    Set<LaneId> found = new HashSet<>();
    try (PreparedStatement lock = lockHeads.prepare(connection)) {
      bind(lock, lanes);
      try (ResultSet rows = lockHeads.execute(lock)) {
        while (rows.next()) {
          LaneId lane = new LaneId(rows.getInt(1), rows.getString(2), rows.getString(3));
          found.add(lane);
          note(lane, rows.getLong(4), rows.getObject(5) == null, timeless);
        }
      }
    }
    return found;
  }

  private Set<LaneId> lockEach(
      Connection connection, List<LaneId> lanes, List<DueRequest.Row> timeless)
      throws SQLException {
    Set<LaneId> found = new HashSet<>();
    try (PreparedStatement lock = connection.prepareStatement(lockHead)) {
      for (LaneId lane : lanes) {
        bind(lock, lane);
        try (ResultSet row = lock.executeQuery()) {
          if (row.next()) {
            found.add(lane);
            note(lane, row.getLong(1), row.getObject(2) == null, timeless);
          }
        }
      }
    }
    return found;
  }

  private static void note(
      LaneId lane, long seq, boolean hasNoTime, List<DueRequest.Row> timeless) {
    if (hasNoTime) {
      timeless.add(new DueRequest.Row(lane.partition(), seq, lane.handler()));
    }
  }

  private void makeDue(Connection connection, List<DueRequest.Row> rows) throws SQLException {
    if (dialect.hasArrays()) {
      try (PreparedStatement update = makeAllDue.prepare(connection)) {
        BulkStatements.bind(update, 1, "smallint", rows, row -> (short) row.partition());
        BulkStatements.bind(update, 2, "text", rows, DueRequest.Row::handler);
        BulkStatements.bind(update, 3, "bigint", rows, DueRequest.Row::seq);
        update.execute();
      }
      return;
    }
    try (PreparedStatement update = connection.prepareStatement(makeDue)) {
      for (DueRequest.Row row : rows) {
        update.setInt(1, row.partition());
        update.setString(2, row.handler());
        update.setLong(3, row.seq());
        update.addBatch();
      }
      update.executeBatch();
    }
  }
}
