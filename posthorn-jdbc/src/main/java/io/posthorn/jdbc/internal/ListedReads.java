/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.StoredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Reads the slices of many partitions by one statement, on databases without arrays: a query for
 * each slice, with its numbers in the text. Each walks over the primary key from the slice's seq
 * on, and ends at its limit; rows that are known are passed over. One relay's reader only.
 *
 * <p>Drivers have the whole result in memory, so of a row that is larger than an equal share of the
 * bytes only the size comes, and those that there is room for are read once more.
 */
final class ListedReads {
  /**
   * Tables that one statement names at the most, however often the same one. MySQL keeps 250 of
   * them open for a session (table_open_cache by its instances); a statement with more opens and
   * closes the rest each time: 400 queries took 223 ms, 200 took 7 ms (MySQL 8.0.31).
   */
  private static final int TABLES = 200;

  private final String query;
  private final String sized;
  private final String message;
  private final boolean looksTwice;
  private final IntFunction<String> laneHeads;

  /** Where the rows of earlier reads are; of those that are known still. */
  private Map<Long, Integer> partitions = new HashMap<>();

  /** A row of which only the size came. */
  private record Large(int partition, long seq) {}

  /**
   * @param laneHeads more columns of a row "m", by the number of handlers
   */
  ListedReads(Dialect dialect, Tables tables, IntFunction<String> laneHeads) {
    this.message = tables.message();
    this.looksTwice = !dialect.showsCommitsInOrder();
    this.laneHeads = laneHeads;
    String from =
        "%s AS bytes%%s FROM %s m WHERE ".formatted(Rows.bytes(dialect), tables.message());
    this.query = "SELECT " + Rows.readyColumns(dialect) + ", " + from;
    this.sized = "SELECT " + Rows.readyColumnsUpToSize(dialect) + ", " + from;
  }

  void read(Connection connection, ReadRequest request, ReadStatements.Collected collected)
      throws SQLException {
    if (request.slices().isEmpty()) {
      return;
    }
    Map<Integer, List<Long>> known = new HashMap<>();
    Set<Long> elsewhere = new HashSet<>();
    sort(request, known, elsewhere);
    List<Large> large = new ArrayList<>();
    Map<Integer, Integer> left = new HashMap<>();
    for (Slice slice : request.slices()) {
      left.put(slice.partition(), slice.limit());
    }
    long share = Math.max(1, request.maxBytes() / request.maxRows());
    long bytes = 0;
    for (List<String> queries : inStatements(slices(request, known, elsewhere), request)) {
      if (collected.size() + large.size() >= request.maxRows() || bytes >= request.maxBytes()) {
        break;
      }
      try (PreparedStatement read = connection.prepareStatement(union(queries))) {
        int i = 1;
        for (int slice = 0; slice < queries.size(); slice++) {
          for (int column = 0; column < Rows.SIZED_COLUMNS; column++) {
            read.setLong(i++, share);
          }
          i = bindHandlers(read, i, request);
        }
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()
              && collected.size() + large.size() < request.maxRows()
              && bytes < request.maxBytes()) {
            long seq = rows.getLong(2);
            long size = rows.getLong(Rows.READY_COLUMNS + 1);
            if (elsewhere.contains(seq) || left.merge(rows.getInt(1), -1, Integer::sum) < 0) {
              continue;
            }
            bytes += size;
            partitions.put(seq, rows.getInt(1));
            if (size > share) {
              large.add(new Large(rows.getInt(1), seq));
            } else {
              collected.add(rows, null);
            }
          }
        }
      }
    }
    readLarge(connection, request, large, collected);
    if (looksTwice && collected.size() > 0) {
      leaveOutSuccessors(connection, request, known, elsewhere, collected);
    }
  }

  /**
   * Looks for rows that the first query did not show although others show that it might have. They
   * had been committed by now, so this one shows them. What stands behind them in their lanes is
   * left to the next read, which returns both.
   */
  private void leaveOutSuccessors(
      Connection connection,
      ReadRequest request,
      Map<Integer, List<Long>> known,
      Set<Long> elsewhere,
      ReadStatements.Collected collected)
      throws SQLException {
    Map<Integer, Long> last = new HashMap<>();
    Map<Integer, List<Long>> returned = new HashMap<>();
    known.forEach((partition, seqs) -> returned.put(partition, new ArrayList<>(seqs)));
    for (StoredMessage row : collected.messages()) {
      last.merge(row.partition(), row.seq(), Math::max);
      returned.computeIfAbsent(row.partition(), any -> new ArrayList<>()).add(row.seq());
    }
    Map<String, Long> missed = new HashMap<>(); // the lowest seq, by key
    for (List<String> queries : partitioned(between(request, last, returned), TABLES)) {
      try (Statement look = connection.createStatement();
          ResultSet rows = look.executeQuery(union(queries))) {
        while (rows.next()) {
          if (!elsewhere.contains(rows.getLong(1))) {
            missed.merge(rows.getString(2), rows.getLong(1), Math::min);
          }
        }
      }
    }
    collected.leaveOut(
        row -> {
          String key = row.envelope().key();
          return key != null && row.seq() > missed.getOrDefault(key, Long.MAX_VALUE);
        });
  }

  private List<String> between(
      ReadRequest request, Map<Integer, Long> last, Map<Integer, List<Long>> returned) {
    List<String> queries = new ArrayList<>();
    for (Slice slice : request.slices()) {
      if (last.containsKey(slice.partition())) {
        queries.add(
            "SELECT m.seq, m.message_key FROM %s m WHERE m.partition_no = %d AND m.seq > %d AND m.seq < %d AND m.seq + 0 NOT IN (%s) AND m.message_key IS NOT NULL"
                .formatted(
                    message,
                    slice.partition(),
                    slice.afterSeq(),
                    last.getOrDefault(slice.partition(), 0L),
                    list(returned.getOrDefault(slice.partition(), List.of()))));
      }
    }
    return queries;
  }

  /** Sorts what is known by partition; what this reader has not read is anywhere. */
  private void sort(
      ReadRequest request, Map<Integer, List<Long>> byPartition, Set<Long> elsewhere) {
    Map<Long, Integer> still = new HashMap<>();
    for (long seq : request.known()) {
      Integer partition = partitions.get(seq);
      if (partition == null) {
        elsewhere.add(seq);
      } else {
        still.put(seq, partition);
        byPartition.computeIfAbsent(partition, any -> new ArrayList<>()).add(seq);
      }
    }
    partitions = still;
  }

  private List<String> slices(
      ReadRequest request, Map<Integer, List<Long>> known, Set<Long> elsewhere) {
    String select = sized.formatted(heads(request));
    List<String> queries = new ArrayList<>(request.slices().size());
    for (Slice slice : request.slices()) {
      StringBuilder text = new StringBuilder(select);
      text.append("m.partition_no = ").append(slice.partition());
      text.append(" AND m.seq > ").append(slice.afterSeq());
      List<Long> passed = known.get(slice.partition());
      if (passed != null) {
        // Not of the column itself: its range would be cut into as many pieces.
        text.append(" AND m.seq + 0 NOT IN (").append(list(passed)).append(')');
      }
      long limit = (long) slice.limit() + elsewhere.size();
      text.append(" ORDER BY m.seq LIMIT ").append(limit);
      queries.add(text.toString());
    }
    return queries;
  }

  /** Queries that look for heads of lanes name two tables more for each handler. */
  private static List<List<String>> inStatements(List<String> queries, ReadRequest request) {
    int tables = 1 + 2 * request.lanes().handlers().size();
    return partitioned(queries, Math.max(1, TABLES / tables));
  }

  private static List<List<String>> partitioned(List<String> queries, int most) {
    List<List<String>> parts = new ArrayList<>();
    for (int from = 0; from < queries.size(); from += most) {
      parts.add(queries.subList(from, Math.min(queries.size(), from + most)));
    }
    return parts;
  }

  private static String list(List<Long> seqs) {
    return seqs.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static String union(List<String> queries) {
    return queries.size() == 1
        ? queries.get(0)
        : queries.stream().collect(Collectors.joining(") UNION ALL (", "(", ")"));
  }

  private String heads(ReadRequest request) {
    return laneHeads.apply(request.lanes().handlers().size());
  }

  private static int bindHandlers(PreparedStatement read, int first, ReadRequest request)
      throws SQLException {
    int i = first;
    for (String handler : request.lanes().handlers()) {
      read.setString(i++, handler);
    }
    return i;
  }

  private void readLarge(
      Connection connection,
      ReadRequest request,
      List<Large> large,
      ReadStatements.Collected collected)
      throws SQLException {
    if (large.isEmpty()) {
      return;
    }
    String select = query.formatted(heads(request));
    List<String> all =
        large.stream()
            .map(
                row ->
                    "%sm.partition_no = %d AND m.seq = %d"
                        .formatted(select, row.partition, row.seq))
            .toList();
    for (List<String> queries : inStatements(all, request)) {
      try (PreparedStatement read = connection.prepareStatement(union(queries))) {
        int i = 1;
        for (int row = 0; row < queries.size(); row++) {
          i = bindHandlers(read, i, request);
        }
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            collected.add(rows, null);
          }
        }
      }
    }
  }
}
