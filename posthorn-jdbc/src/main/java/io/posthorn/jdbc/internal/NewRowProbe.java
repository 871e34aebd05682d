/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * One cheap question in place of a read that would return nothing, for databases without arrays,
 * where a read is a query for each partition. It is asked after a read that has returned nothing:
 * if no row is behind the lowest floor, there is none behind the others. One relay's reader only.
 */
final class NewRowProbe {
  private final boolean behindFloor;
  private final String query;
  private boolean idle; // the last read has returned nothing

  NewRowProbe(Dialect dialect, Tables tables) {
    this.behindFloor = dialect.seeksBySeq();
    // Served by the index of seq; without one, the first row of the table says as much while the
    // table is empty, as it is where nothing waits.
    this.query =
        "SELECT seq FROM %s %s %s"
            .formatted(
                tables.message(),
                behindFloor ? "WHERE seq > ? ORDER BY seq" : "",
                dialect.firstRows("1"));
  }

  /** Whether a read would surely return nothing. */
  boolean isNothingThere(Connection connection, ReadRequest request) throws SQLException {
    if (!idle || request.slices().size() < 2) {
      return false;
    }
    try (PreparedStatement probe = connection.prepareStatement(query)) {
      if (behindFloor) {
        probe.setLong(1, lowestFloor(request));
      }
      try (ResultSet row = probe.executeQuery()) {
        return !row.next();
      }
    }
  }

  private static long lowestFloor(ReadRequest request) {
    long lowest = Long.MAX_VALUE;
    for (Slice slice : request.slices()) {
      lowest = Math.min(lowest, slice.afterSeq());
    }
    return lowest;
  }

  /** Notes how many rows a read has returned. */
  void noteRead(int rows) {
    idle = rows == 0;
  }
}
