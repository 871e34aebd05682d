/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The frequent moves of a settle for databases with arrays: one statement for any number of rows.
 */
final class BulkStatements {
  /** A ready row that goes to the deferred table for one handler. */
  record Move(Settlement.Ready row, String handler, Fate.Deferred fate) {}

  private final String readyToDeferred;
  private final String deleteReady;
  private final String deleteDeferred;
  private final String deferredToReady;

  BulkStatements(Dialect dialect, Tables tables) {
    String columns = "partition_no, seq, " + Rows.ENVELOPE + ", created_at";
    String now = dialect.now();
    // All are served by the primary keys.
    this.readyToDeferred =
        """
        INSERT INTO %s (%s, handler, in_lane, reason, attempts, due_at, last_error, deferred_at)
        SELECT %s, x.to_handler, %s, x.why, x.tries,
               CASE WHEN x.due_ms >= 0 THEN %s WHEN message_key IS NULL THEN %s END, x.said, %s
          FROM unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::integer[])
               AS x(part, row_seq, row_id, to_handler, why, tries, due_ms, said, passed)
          JOIN %s ON partition_no = x.part AND seq = x.row_seq AND id = x.row_id
        """
            .formatted(
                tables.deferred(),
                columns,
                columns,
                SettleStatements.inLane("x.passed"),
                dialect.plusMillis(now, "x.due_ms"),
                now,
                now,
                tables.message());
    this.deleteReady = delete(tables.message(), "");
    this.deleteDeferred =
        "DELETE FROM %s d USING unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[]) AS x(part, row_seq, row_id, to_handler) WHERE d.partition_no = x.part AND d.seq = x.row_seq AND d.handler = x.to_handler AND d.id = x.row_id"
            .formatted(tables.deferred());
    // The sub-select is sorted before a seq is drawn for each of its rows.
    String withoutSeq = "partition_no, " + Rows.ENVELOPE + ", created_at";
    this.deferredToReady =
        """
        INSERT INTO %s (%s)
        SELECT %s
          FROM unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[]) WITH ORDINALITY AS x(part, row_seq, row_id, to_handler, place)
          JOIN %s ON partition_no = x.part AND seq = x.row_seq AND handler = x.to_handler AND id = x.row_id
         ORDER BY x.place
        """
            .formatted(tables.message(), withoutSeq, withoutSeq, tables.deferred());
  }

  /**
   * Deletes ready rows, bound by {@link #bindByPartition}. Served by the primary key: one scan for
   * each partition walks to all of its rows, where a join by row would descend for each of them.
   * The ids are hashed once; without IS TRUE they would be joined.
   */
  static String delete(String table, String moreTables) {
    return "DELETE FROM %s m USING unnest(?::smallint[], ?::text[]) AS d(part, seqs)%s WHERE m.partition_no = d.part AND m.seq = ANY (d.seqs::bigint[]) AND (m.id IN (SELECT unnest(?::uuid[]))) IS TRUE"
        .formatted(table, moreTables);
  }

  /**
   * Binds the partitions of these rows, for each the text of an array of its seqs, and their ids.
   */
  static void bindByPartition(PreparedStatement statement, int first, List<Settlement.Ready> rows)
      throws SQLException {
    Map<Integer, StringJoiner> seqs = new TreeMap<>();
    for (Settlement.Ready row : rows) {
      seqs.computeIfAbsent(row.partition(), any -> new StringJoiner(",", "{", "}"))
          .add(Long.toString(row.seq()));
    }
    bind(statement, first, "smallint", List.copyOf(seqs.keySet()), Integer::shortValue);
    bind(statement, first + 1, "text", List.copyOf(seqs.values()), StringJoiner::toString);
    bind(statement, first + 2, "uuid", rows, Settlement.Ready::id);
  }

  void readyToDeferred(Connection connection, List<Move> moves) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(readyToDeferred)) {
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
      insert.executeUpdate();
    }
  }

  void deleteReady(Connection connection, List<Settlement.Ready> rows) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(deleteReady)) {
      bindByPartition(delete, 1, rows);
      delete.executeUpdate();
    }
  }

  void deleteDeferred(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    execute(connection, deleteDeferred, rows);
  }

  /** Copies deferred rows to the ready table, with seqs drawn in the order given. */
  void deferredToReady(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    execute(connection, deferredToReady, rows);
  }

  private static void execute(Connection connection, String sql, List<Settlement.Deferred> rows)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, 1, "smallint", rows, row -> (short) row.partition());
      bind(statement, 2, "bigint", rows, Settlement.Deferred::seq);
      bind(statement, 3, "uuid", rows, Settlement.Deferred::id);
      bind(statement, 4, "text", rows, Settlement.Deferred::handler);
      statement.executeUpdate();
    }
  }

  /** Binds one value of each row as an array. */
  static <R> void bind(
      PreparedStatement statement,
      int index,
      String type,
      List<R> rows,
      Function<R, ? extends @Nullable Object> value)
      throws SQLException {
    Object[] values = rows.stream().map(value).toArray();
    statement.setArray(index, statement.getConnection().createArrayOf(type, values));
  }
}
