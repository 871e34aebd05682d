/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LaneId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Makes the first row of a lane due unless it has a time of its own. Relays look for times, so
 * whatever changes which row is the first is followed by this, in the same transaction.
 */
final class LaneWake {
  private static final String LANE =
      "partition_no = %s AND handler = %s AND message_key = %s AND in_lane";

  private final Dialect dialect;
  private final String wake;
  private final String wakeAll;

  LaneWake(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String table = tables.deferred();
    // Served by the lane index; the row that is found is changed by the primary key.
    String lane = LANE.formatted("?", "?", "?");
    this.wake =
        "UPDATE %1$s SET due_at = %2$s WHERE %3$s AND due_at IS NULL AND seq = (SELECT min(seq) FROM %1$s WHERE %3$s)"
            .formatted(table, dialect.now(), lane);
    this.wakeAll =
        """
        UPDATE %1$s n SET due_at = %2$s
          FROM unnest(?::smallint[], ?::text[], ?::text[]) AS l(part, name, lane_key)
         CROSS JOIN LATERAL (SELECT min(seq) AS seq FROM %1$s WHERE %3$s) h
         WHERE n.partition_no = l.part AND n.handler = l.name AND n.seq = h.seq AND n.due_at IS NULL
        """
            .formatted(table, dialect.now(), LANE.formatted("l.part", "l.name", "l.lane_key"));
  }

  void wake(Connection connection, Collection<LaneId> lanes) throws SQLException {
    if (lanes.isEmpty()) {
      return;
    }
    if (dialect.hasArrays()) {
      List<LaneId> listed = List.copyOf(lanes);
      try (PreparedStatement update = connection.prepareStatement(wakeAll)) {
        BulkStatements.bind(update, 1, "smallint", listed, lane -> (short) lane.partition());
        BulkStatements.bind(update, 2, "text", listed, LaneId::handler);
        BulkStatements.bind(update, 3, "text", listed, LaneId::key);
        update.executeUpdate();
      }
      return;
    }
    try (PreparedStatement update = connection.prepareStatement(wake)) {
      for (LaneId lane : lanes) {
        bind(update, 1, lane);
        bind(update, 4, lane);
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  private static void bind(PreparedStatement statement, int first, LaneId lane)
      throws SQLException {
    statement.setInt(first, lane.partition());
    statement.setString(first + 1, lane.handler());
    statement.setString(first + 2, lane.key());
  }
}
