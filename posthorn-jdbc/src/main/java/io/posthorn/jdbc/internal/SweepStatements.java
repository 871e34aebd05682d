/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.RelayStore.SeqRange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks for ready rows where none is expected: below the floors. Locks no ready rows. */
final class SweepStatements {
  private final Dialect dialect;
  private final DeferredFloors floors;
  private final String find;
  private final String findAll;

  SweepStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.floors = new DeferredFloors(dialect, tables);
    // Served by the primary key.
    this.find =
        "SELECT seq FROM %s WHERE partition_no = ? AND seq > ? AND seq <= ? ORDER BY seq %s"
            .formatted(tables.message(), dialect.firstRows("?"));
    this.findAll =
        """
        SELECT p.part, f.seq FROM unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS p(part, after_seq, last_seq)
         CROSS JOIN LATERAL (
           SELECT seq FROM %s WHERE partition_no = p.part AND seq > p.after_seq AND seq <= p.last_seq
              AND seq NOT IN (SELECT unnest(?::bigint[])) ORDER BY seq LIMIT 1) f
        """
            .formatted(tables.message());
  }

  /** The lowest row in each range, but for known ones. */
  Map<Integer, Long> find(Connection connection, List<SeqRange> ranges, long[] known)
      throws SQLException {
    floors.lowerToFound(connection, ranges);
    return dialect.hasArrays()
        ? findByArrays(connection, ranges, known)
        : findByRange(connection, ranges, known);
  }

  private Map<Integer, Long> findByArrays(
      Connection connection, List<SeqRange> ranges, long[] known) throws SQLException {
    Map<Integer, Long> found = new HashMap<>();
    IndexedQuery query = new IndexedQuery(dialect, findAll);
    try (PreparedStatement read = query.prepare(connection)) {
      BulkStatements.bind(read, 1, "smallint", ranges, range -> (short) range.partition());
      BulkStatements.bind(read, 2, "bigint", ranges, SeqRange::after);
      BulkStatements.bind(read, 3, "bigint", ranges, SeqRange::last);
      read.setArray(4, connection.createArrayOf("bigint", BulkStatements.boxed(known)));
      try (ResultSet rows = query.execute(read)) {
        while (rows.next()) {
          found.put(rows.getInt(1), rows.getLong(2));
        }
      }
    }
    return found;
  }

  private Map<Integer, Long> findByRange(Connection connection, List<SeqRange> ranges, long[] known)
      throws SQLException {
    Map<Integer, Long> found = new HashMap<>();
    long[] sorted = known.clone();
    Arrays.sort(sorted);
    try (PreparedStatement read = connection.prepareStatement(find)) {
      for (SeqRange range : ranges) {
        read.setInt(1, range.partition());
        read.setLong(2, range.after());
        read.setLong(3, range.last());
        read.setInt(4, known.length + 1);
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next() && !found.containsKey(range.partition())) {
            if (Arrays.binarySearch(sorted, rows.getLong(1)) < 0) {
              found.put(range.partition(), rows.getLong(1));
            }
          }
        }
      }
    }
    return found;
  }
}
