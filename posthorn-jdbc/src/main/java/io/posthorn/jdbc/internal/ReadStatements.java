/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore.ReadSlice;
import io.posthorn.spi.StoredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Reads ready rows. Locks nothing: ownership makes the relay's memory authoritative. */
final class ReadStatements {
  private static final String NO_HORIZON = "SELECT 0, 0, CASE WHEN ? THEN NULL::bigint END";

  private final Dialect dialect;
  private final String readReady;
  private final String readSlice;

  ReadStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String ready = Rows.readyColumns(dialect);
    // Two queries in one round trip. The first must tell of no later time than the second: what has
    // ended by then is visible to the second. It also brings what IndexedQuery is about.
    // The second is served by the primary key: one index scan for each partition. Known rows are
    // left out by a sub-select, which is hashed once; "<> ALL (array)" would walk the array for
    // each row.
    this.readReady =
        """
        SELECT h.*%s FROM (%s) AS h(oldest, drawn, marker);
        SELECT r.* FROM unnest(?::smallint[], ?::bigint[], ?::integer[]) AS p(part, after_seq, most)
         CROSS JOIN LATERAL (
           SELECT %s FROM %s WHERE partition_no = p.part AND seq > p.after_seq
              AND seq NOT IN (SELECT unnest(?::bigint[])) ORDER BY seq LIMIT p.most) r
        """
            .formatted(
                dialect.plannedOnceByIndex().map(settings -> ", " + settings).orElse(""),
                dialect.horizon(tables.seq()).orElse(NO_HORIZON),
                ready,
                tables.message());
    this.readSlice =
        "SELECT %s FROM %s WHERE partition_no = ? AND seq > ? ORDER BY seq LIMIT ?"
            .formatted(ready, tables.message());
  }

  ReadResult read(Connection connection, List<ReadSlice> slices, long[] known, boolean mark)
      throws SQLException {
    return dialect.hasArrays()
        ? readByArrays(connection, slices, known, mark)
        : ReadResult.ofUnknown(inOrder(readBySlice(connection, slices, known)));
  }

  private static List<StoredMessage> inOrder(List<StoredMessage> rows) {
    rows.sort(Comparator.comparingLong(StoredMessage::seq));
    return rows;
  }

  private ReadResult readByArrays(
      Connection connection, List<ReadSlice> slices, long[] known, boolean wantsMark)
      throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(readReady)) {
      read.setBoolean(1, wantsMark);
      bindSlices(connection, read, slices, known);
      read.execute();
      long oldest;
      ReadResult.Mark mark;
      try (ResultSet horizon = read.getResultSet()) {
        horizon.next();
        oldest = horizon.getLong(1);
        long transaction = horizon.getLong(3);
        mark = transaction == 0 ? null : new ReadResult.Mark(horizon.getLong(2), transaction);
      }
      read.getMoreResults();
      List<StoredMessage> messages = new ArrayList<>();
      try (ResultSet rows = read.getResultSet()) {
        while (rows.next()) {
          messages.add(Rows.ready(rows));
        }
      }
      return new ReadResult(inOrder(messages), oldest, mark);
    }
  }

  private static void bindSlices(
      Connection connection, PreparedStatement read, List<ReadSlice> slices, long[] known)
      throws SQLException {
    // The parameters follow the order of their places in the text: those of FROM, then the known
    // seqs.
    Object[] partitions = slices.stream().map(slice -> (short) slice.partition()).toArray();
    read.setArray(2, connection.createArrayOf("smallint", partitions));
    read.setArray(
        3, connection.createArrayOf("bigint", slices.stream().map(ReadSlice::afterSeq).toArray()));
    read.setArray(
        4, connection.createArrayOf("integer", slices.stream().map(ReadSlice::limit).toArray()));
    read.setArray(5, connection.createArrayOf("bigint", LongStream.of(known).boxed().toArray()));
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
}
