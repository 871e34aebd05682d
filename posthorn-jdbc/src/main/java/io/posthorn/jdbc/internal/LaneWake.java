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
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the first row of a lane due unless it has a time of its own. Relays look for times, so
 * whatever changes which row is the first is followed by this, in the same transaction.
 *
 * <p>A relay's settle and the transaction of a handler may change one lane side by side: one adds a
 * row behind the first, the other deletes the first, and neither sees what the other does. So the
 * first row is locked: whoever comes second waits, and then sees the whole. If the row has gone
 * meanwhile, the lane is looked at once more.
 */
final class LaneWake {
  private static final String LANE =
      "partition_no = %s AND handler = %s AND message_key = %s AND in_lane";
  private static final int ROUNDS = 2;

  private final Dialect dialect;
  private final String lockHead;
  private final String lockHeads;
  private final String makeDue;

  LaneWake(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    // Served by the lane index; the rows that are found are locked and changed by the primary key.
    this.lockHead =
        "SELECT seq, due_at FROM %s WHERE %s ORDER BY seq LIMIT 1 FOR UPDATE"
            .formatted(table, LANE.formatted("?", "?", "?"));
    this.lockHeads =
        """
        SELECT l.part, l.name, l.lane_key, n.seq, n.due_at
          FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, name, lane_key)
         CROSS JOIN LATERAL (SELECT d.seq AS first FROM %1$s d WHERE %2$s LIMIT 1) h
          JOIN %1$s n ON n.partition_no = l.part AND n.handler = l.name AND n.seq = h.first
         ORDER BY l.part, l.name, n.seq FOR UPDATE OF n
        """
            .formatted(
                table,
                laneFrom(
                    "d",
                    "l.part",
                    "l.name",
                    "l.lane_key",
                    DeferredFloors.seqFloor(tables, "l.part", "l.name")));
    this.makeDue =
        "UPDATE %s SET due_at = %s WHERE partition_no = ? AND handler = ? AND seq = ?"
            .formatted(table, dialect.now());
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
    Set<LaneId> left = new HashSet<>(lanes);
    for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
      List<DueRequest.Row> timeless = new ArrayList<>();
      left.removeAll(
          dialect.hasArrays()
              ? lockAll(connection, List.copyOf(left), timeless)
              : lockEach(connection, List.copyOf(left), timeless));
      makeDue(connection, timeless);
    }
  }

  /** Locks the first rows of lanes; returns the lanes that have one. */
  private Set<LaneId> lockAll(
      Connection connection, List<LaneId> lanes, List<DueRequest.Row> timeless)
      throws SQLException {
    Set<LaneId> found = new HashSet<>();
    try (PreparedStatement lock = connection.prepareStatement(lockHeads)) {
      BulkStatements.bind(lock, 1, "smallint", lanes, lane -> (short) lane.partition());
      BulkStatements.bind(lock, 2, "text", lanes, LaneId::handler);
      BulkStatements.bind(lock, 3, "text", lanes, LaneId::key);
      try (ResultSet rows = lock.executeQuery()) {
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
        lock.setInt(1, lane.partition());
        lock.setString(2, lane.handler());
        lock.setString(3, lane.key());
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
    if (rows.isEmpty()) {
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
