/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.EntryId;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.LaneId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What people do to deferred rows and lanes. All are served by the primary key or the lane index,
 * and lock the rows they change before they decide, the first rows of their lanes before all
 * others.
 */
final class LaneMoves {
  private static final int LANE_PARAMETERS = 3;
  static final String NO_MARKER = " AND reason <> 'BLOCKED'";
  static final String MARKER = " AND reason = 'BLOCKED'";

  private final Dialect dialect;
  private final SeqDraw draw;
  private final ById byId;
  private final String table;
  private final String makeDue;
  private final String delete;
  private final String lanesOf;
  private final LaneWake wake;
  private final DeferredFloors floors;
  private final String head;
  private final String headToDead;
  private final String toDead;
  private final String markersByHand;
  private final String insertMarker;
  private final String lockMarkers;

  LaneMoves(Dialect dialect, Tables tables) {
    String now = dialect.now();
    String others = "partition_no, " + Rows.ENVELOPE + ", created_at";
    String isLane =
        "WHERE partition_no = ? AND handler = ? AND message_key = ? AND in_lane = "
            + dialect.literal(true);
    this.dialect = dialect;
    this.draw = new SeqDraw(dialect, tables);
    this.byId = new ById(dialect);
    this.table = tables.deferred();
    this.makeDue = "UPDATE %s SET due_at = %s WHERE ".formatted(table, now);
    this.delete = "DELETE FROM " + table + " WHERE ";
    this.lanesOf =
        "SELECT DISTINCT partition_no, handler, message_key FROM %s WHERE message_key IS NOT NULL AND ";
    this.wake = new LaneWake(dialect, tables);
    this.floors = new DeferredFloors(dialect, tables);
    String lanes = table + dialect.servedBy(tables.laneIndex());
    this.head =
        dialect.lockingQuery(
            "seq, reason",
            lanes,
            "%s ORDER BY seq %s".formatted(isLane, dialect.firstRows("1")),
            dialect.lockRows());
    String bury =
        "INSERT INTO %s (seq, %s, handler, attempts, error, died_at) SELECT %s, %s, handler, attempts, %%s, %s FROM %s WHERE "
            .formatted(
                tables.dead(),
                others,
                new FreeSeq(dialect, tables).inDead(table, table + ".handler"),
                others,
                now,
                table);
    this.headToDead = bury.formatted("?") + "partition_no = ? AND handler = ? AND seq = ?";
    this.toDead = bury.formatted("COALESCE(last_error, %s)".formatted(dialect.largeText("?")));
    this.markersByHand =
        "SELECT count(*) FROM %s %s%s AND seq < 0".formatted(table, isLane, MARKER);
    // Before all messages: their seqs, drawn from the same sequence, are positive.
    this.insertMarker =
        """
        INSERT INTO %1$s (partition_no, handler, message_key, id, seq, type, content_type, occurred_at, created_at,
                        in_lane, reason, attempts, due_at, deferred_at)
        VALUES (?, ?, ?, ?, -(%2$s), %3$s, %3$s, %4$s, %4$s, %5$s, 'BLOCKED', 0, %6$s, %4$s)
        """
            .formatted(
                table,
                draw.value(),
                Rows.noText(dialect),
                now,
                dialect.literal(true),
                dialect.plusMillis(now, Long.toString(RetryPolicy.LONGEST_DELAY.toMillis())));
    this.lockMarkers =
        dialect.lockingQuery(
            "partition_no, seq, handler",
            lanes,
            "%s%s ORDER BY seq".formatted(isLane, MARKER),
            dialect.lockRows());
  }

  List<EntryId> runNow(Connection connection, Collection<EntryId> ids) throws SQLException {
    lockLanes(connection, table, ids);
    List<EntryId> found = byId.lock(connection, table, ids, NO_MARKER);
    if (!found.isEmpty()) {
      byId.update(connection, makeDue, found);
    }
    return found;
  }

  List<EntryId> cancel(Connection connection, Collection<EntryId> ids) throws SQLException {
    return deleteAndGoOn(connection, ids, NO_MARKER);
  }

  /** Deletes the markers among these rows; their lanes go on. */
  void deleteMarkers(Connection connection, Collection<EntryId> ids) throws SQLException {
    deleteAndGoOn(connection, ids, MARKER);
  }

  private List<EntryId> deleteAndGoOn(Connection connection, Collection<EntryId> ids, String which)
      throws SQLException {
    List<LaneId> lanes = lockLanes(connection, table, ids);
    List<EntryId> found = byId.lock(connection, table, ids, which);
    if (!found.isEmpty()) {
      byId.update(connection, delete, found);
      wake.wake(connection, lanes);
    }
    return found;
  }

  /** Locks the first rows of the lanes of these rows, which may stand in another table. */
  List<LaneId> lockLanes(Connection connection, String rowsIn, Collection<EntryId> ids)
      throws SQLException {
    List<LaneId> lanes = new ArrayList<>();
    try (PreparedStatement read =
        connection.prepareStatement(lanesOf.formatted(rowsIn) + byId.condition(ids.size()))) {
      byId.bind(read, 1, List.copyOf(ids));
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          lanes.add(new LaneId(rows.getInt(1), rows.getString(2), rows.getString(3)));
        }
      }
    }
    wake.lockHeads(connection, lanes);
    return lanes;
  }

  List<EntryId> skip(Connection connection, Collection<EntryId> ids, String error)
      throws SQLException {
    List<LaneId> lanes = lockLanes(connection, table, ids);
    List<EntryId> found =
        byId.lock(connection, table, ids, NO_MARKER + SettleStatements.NOT_SETTLED);
    if (!found.isEmpty()) {
      byId.update(connection, toDead, found, error);
      byId.update(connection, delete, found);
      wake.wake(connection, lanes);
    }
    return found;
  }

  Optional<EntryId> skipHead(Connection connection, LaneId lane, String error) throws SQLException {
    EntryId id;
    boolean marker;
    try (PreparedStatement read = connection.prepareStatement(head)) {
      bind(read, 1, lane);
      try (ResultSet row = read.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        id = new EntryId(lane.partition(), row.getLong(1), lane.handler());
        marker = !holdsMessage(row.getString(2));
      }
    }
    if (!marker) {
      bury(connection, id, error);
    }
    byId.update(connection, delete, List.of(id));
    wake.wake(connection, List.of(lane));
    return Optional.of(id);
  }

  private static boolean holdsMessage(String reason) {
    return !reason.equals(DeferReason.BLOCKED.name()) && !reason.equals(DeferReason.SETTLED.name());
  }

  private void bury(Connection connection, EntryId id, String error) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(headToDead)) {
      insert.setString(1, error);
      insert.setInt(2, id.partition());
      insert.setString(3, id.handler());
      insert.setLong(4, id.seq());
      insert.executeUpdate();
    }
  }

  boolean block(Connection connection, LaneId lane) throws SQLException {
    try (PreparedStatement count = connection.prepareStatement(markersByHand)) {
      bind(count, 1, lane);
      try (ResultSet row = count.executeQuery()) {
        row.next();
        if (row.getLong(1) > 0) {
          return false;
        }
      }
    }
    wake.lockHeads(connection, List.of(lane));
    DeferredFloors.Inserts inserts = new DeferredFloors.Inserts();
    inserts.add(lane.partition(), lane.handler(), Long.MIN_VALUE);
    floors.register(connection, inserts);
    try (PreparedStatement insert = connection.prepareStatement(insertMarker)) {
      bind(insert, 1, lane);
      dialect.bindId(insert, 1 + LANE_PARAMETERS, UUID.randomUUID());
      draw.bind(insert, 2 + LANE_PARAMETERS, draw.isNeeded() ? draw.next(connection, 1)[0] : 0);
      insert.executeUpdate();
    }
    return true;
  }

  int unblock(Connection connection, LaneId lane) throws SQLException {
    wake.lockHeads(connection, List.of(lane));
    List<EntryId> markers = new ArrayList<>();
    try (PreparedStatement lock = connection.prepareStatement(lockMarkers)) {
      bind(lock, 1, lane);
      try (ResultSet rows = lock.executeQuery()) {
        while (rows.next()) {
          markers.add(new EntryId(rows.getInt(1), rows.getLong(2), rows.getString(3)));
        }
      }
    }
    if (!markers.isEmpty()) {
      byId.update(connection, delete, markers);
      wake.wake(connection, List.of(lane));
    }
    return markers.size();
  }

  private static void bind(PreparedStatement statement, int first, LaneId lane)
      throws SQLException {
    statement.setInt(first, lane.partition());
    statement.setString(first + 1, lane.handler());
    statement.setString(first + 2, lane.key());
  }
}
