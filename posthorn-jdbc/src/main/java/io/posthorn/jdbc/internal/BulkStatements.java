/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The frequent moves of a settle for databases with arrays: one statement for any number of rows.
 */
final class BulkStatements {
  /** A ready row that goes to the deferred table for one handler. */
  record Move(Settlement.Ready row, String handler, Fate.Deferred fate) {}

  private final IndexedQuery readyToDeferred;
  private final IndexedQuery deleteReady;
  private final IndexedQuery lockDeferred;
  private final IndexedQuery deleteDeferred;
  private final IndexedQuery deferredToReady;

  BulkStatements(Dialect dialect, Tables tables) {
    String withoutSeq = "partition_no, " + Rows.ENVELOPE + ", created_at";
    String now = dialect.now();
    // All are served by the primary keys. That a seq is not less than itself says nothing new, but
    // see IndexedQuery.byKeys.
    String toDeferred =
        """
        INSERT INTO %s (seq, %s, handler, in_lane, reason, attempts, due_at, last_error, deferred_at)
        SELECT %s, %s, x.to_handler, %s, x.why, x.tries,
               CASE WHEN x.due_ms >= 0 THEN %s WHEN message_key IS NULL THEN %s END, x.said, %s
          FROM unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::integer[])
               AS x(part, row_seq, row_id, to_handler, why, tries, due_ms, said, passed)
          JOIN %s ON partition_no = x.part AND seq = x.row_seq AND seq >= x.row_seq AND id = x.row_id
        """
            .formatted(
                tables.deferred(),
                withoutSeq,
                new FreeSeq(dialect, tables).inDeferred(tables.message(), "x.to_handler"),
                withoutSeq,
                SettleStatements.inLane(dialect, "x.passed"),
                dialect.plusMillis(now, "x.due_ms"),
                now,
                now,
                tables.message());
    this.readyToDeferred = IndexedQuery.byKeysAmongOthers(dialect, toDeferred);
    this.deleteReady = IndexedQuery.byKeysAmongOthers(dialect, delete(tables.message(), ""));
    String deferred =
        "unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[]) AS x(part, row_seq, row_id, to_handler) WHERE d.partition_no = x.part AND d.seq = x.row_seq AND d.seq >= x.row_seq AND d.handler = x.to_handler AND d.id = x.row_id";
    this.lockDeferred =
        IndexedQuery.byKeysAmongOthers(
            dialect,
            "SELECT d.seq FROM %s d, %s ORDER BY d.seq, d.handler FOR UPDATE OF d"
                .formatted(tables.deferred(), deferred));
    this.deleteDeferred =
        IndexedQuery.byKeysAmongOthers(
            dialect, "DELETE FROM %s d USING %s".formatted(tables.deferred(), deferred));
    // The sub-select is sorted before a seq is drawn for each of its rows.
    String toReady =
        """
        INSERT INTO %s (%s)
        SELECT %s
          FROM unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[]) WITH ORDINALITY AS x(part, row_seq, row_id, to_handler, place)
          JOIN %s ON partition_no = x.part AND seq = x.row_seq AND seq >= x.row_seq AND handler = x.to_handler AND id = x.row_id
         ORDER BY x.place
        """
            .formatted(tables.message(), withoutSeq, withoutSeq, tables.deferred());
    this.deferredToReady = IndexedQuery.byKeysAmongOthers(dialect, toReady);
  }

  /**
   * Deletes ready rows, bound by {@link #bindByPartition}. Served by the primary key: one scan for
   * each partition finds all of its rows, where a join by row would descend for each of them. The
   * ids are hashed once; without IS TRUE they would be joined. They come as bytes, since drivers
   * send UUIDs as text, which takes the server longer to read than to look the rows up.
   */
  static String delete(String table, String moreTables) {
    return "DELETE FROM %s m USING unnest(?::smallint[], ?::text[], ?::bigint[]) AS d(part, seqs, first)%s WHERE m.partition_no = d.part AND m.seq = ANY (d.seqs::bigint[]) AND m.seq >= d.first AND (uuid_send(m.id) IN (SELECT unnest(?::bytea[]))) IS TRUE"
        .formatted(table, moreTables);
  }

  /**
   * Binds the partitions of these rows, for each the text of an array of its seqs and the first of
   * them, and their ids.
   */
  static void bindByPartition(PreparedStatement statement, int from, List<Settlement.Ready> rows)
      throws SQLException {
    int highest = 0;
    for (Settlement.Ready row : rows) {
      highest = Math.max(highest, row.partition());
    }
    PartitionSeqs[] byPartition = new PartitionSeqs[highest + 1];
    for (Settlement.Ready row : rows) {
      PartitionSeqs seqs = byPartition[row.partition()];
      if (seqs == null) {
        seqs = new PartitionSeqs(row.partition());
        byPartition[row.partition()] = seqs;
      }
      seqs.add(row.seq());
    }
    List<PartitionSeqs> all = Stream.of(byPartition).filter(Objects::nonNull).toList();
    bind(statement, from, "smallint", all, one -> (short) one.partition);
    bind(statement, from + 1, "text", all, PartitionSeqs::text);
    bind(statement, from + 2, "bigint", all, one -> one.first);
    bind(statement, from + 3, "bytea", rows, row -> bytes(row.id()));
  }

  /**
   * Deletes ready rows where they were when they were read, bound by {@link #bindPlaces}. Where one
   * has moved, another message may be, whose id is none of these.
   *
   * @param fence a condition that is checked once
   */
  static String deleteAtPlaces(String table, String fence, String places) {
    return "DELETE FROM %s m WHERE %s AND %s AND (uuid_send(m.id) IN (SELECT unnest(?::bytea[]))) IS TRUE"
        .formatted(table, fence, places);
  }

  static void bindPlaces(PreparedStatement statement, int from, List<Settlement.Ready> rows)
      throws SQLException {
    bind(statement, from, "text", rows, Settlement.Ready::place);
    bind(statement, from + 1, "bytea", rows, row -> bytes(row.id()));
  }

  /** The seqs of one partition, as the text of an array. */
  private static final class PartitionSeqs {
    final int partition;
    long first = Long.MAX_VALUE;
    private final StringBuilder text = new StringBuilder("{");

    PartitionSeqs(int partition) {
      this.partition = partition;
    }

    void add(long seq) {
      text.append(first == Long.MAX_VALUE ? "" : ",").append(seq);
      first = Math.min(first, seq);
    }

    String text() {
      return text + "}";
    }
  }

  void readyToDeferred(Connection connection, List<Move> moves) throws SQLException {
    try (PreparedStatement insert = readyToDeferred.prepare(connection)) {
      bind(insert, 1, "smallint", moves, move -> (short) move.row.partition());
      bind(insert, 2, "bigint", moves, move -> move.row.seq());
      bind(insert, 3, "uuid", moves, move -> move.row.id());
      bind(insert, 4, "text", moves, Move::handler);
      bind(insert, 5, "text", moves, move -> move.fate.reason().name());
      bind(insert, 6, "integer", moves, move -> move.fate.attempts());
      bind(
          insert,
          7,
          "bigint",
          moves,
          move -> SettleStatements.dueInMillis(move.handler, move.fate));
      bind(insert, 8, "text", moves, move -> move.fate.error());
      bind(insert, 9, "integer", moves, move -> SettleStatements.passed(move.handler, move.fate));
      insert.execute();
    }
  }

  void deleteReady(Connection connection, List<Settlement.Ready> rows) throws SQLException {
    try (PreparedStatement delete = deleteReady.prepare(connection)) {
      bindByPartition(delete, 1, rows);
      delete.execute();
    }
  }

  /** Locks deferred rows in the order in which {@link ById} does. */
  void lockDeferred(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    execute(connection, lockDeferred, rows);
  }

  void deleteDeferred(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    execute(connection, deleteDeferred, rows);
  }

  /** Copies deferred rows to the ready table, with seqs drawn in the order given. */
  void deferredToReady(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    execute(connection, deferredToReady, rows);
  }

  private static void execute(
      Connection connection, IndexedQuery query, List<Settlement.Deferred> rows)
      throws SQLException {
    try (PreparedStatement statement = query.prepare(connection)) {
      bind(statement, 1, "smallint", rows, row -> (short) row.partition());
      bind(statement, 2, "bigint", rows, Settlement.Deferred::seq);
      bind(statement, 3, "uuid", rows, Settlement.Deferred::id);
      bind(statement, 4, "text", rows, Settlement.Deferred::handler);
      statement.execute();
    }
  }

  private static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  /** The classes of which the driver sends arrays as they are; of others it sends a text. */
  private static Class<?> elements(String type) {
    return switch (type) {
      case "smallint" -> Short.class;
      case "integer" -> Integer.class;
      case "bigint" -> Long.class;
      case "text" -> String.class;
      case "bytea" -> byte[].class;
      default -> Object.class;
    };
  }

  /** Binds one value of each row as an array. */
  static <R> void bind(
      PreparedStatement statement,
      int index,
      String type,
      List<R> rows,
      Function<R, ? extends @Nullable Object> value)
      throws SQLException {
    Object[] values = (Object[]) Array.newInstance(elements(type), rows.size());
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(rows.get(i));
    }
    statement.setArray(index, statement.getConnection().createArrayOf(type, values));
  }

  static Long[] boxed(long[] seqs) {
    Long[] boxed = new Long[seqs.length];
    for (int i = 0; i < seqs.length; i++) {
      boxed[i] = seqs[i];
    }
    return boxed;
  }
}
