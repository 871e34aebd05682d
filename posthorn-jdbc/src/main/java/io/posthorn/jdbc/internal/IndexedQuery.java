/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A statement that is planned for indexes even if its tables were empty when it was planned, or
 * when the planner's statistics were taken. Tables of an outbox are empty most of the time; a plan
 * made then reads whole tables, and is kept while they grow. Planning each time would cost more
 * than the statement. What prevents both is sent with it: one round trip, one transaction.
 */
final class IndexedQuery {
  private final String sql;
  private final int before; // statements

  /** A query in a transaction of its own that walks over an index, from one place on. */
  IndexedQuery(Dialect dialect, String sql) {
    this(dialect, sql, Optional.empty());
  }

  /**
   * @param limit a statement that bounds the transaction's waits
   */
  IndexedQuery(Dialect dialect, String sql, Optional<String> limit) {
    this(first(limit, List.of(dialect.plannedOnce(), dialect.orderedScans(true))), sql, List.of());
  }

  private IndexedQuery(List<String> before, String sql, List<String> after) {
    this.before = before.size();
    this.sql =
        Stream.of(before, List.of(sql), after)
            .flatMap(List::stream)
            .collect(Collectors.joining(";\n"));
  }

  /**
   * A statement in a transaction of its own that looks up rows by their keys. It has a condition
   * with a range of seqs: without one, and if statistics were taken when there was one row, the
   * planner takes the keys for a condition that fits all rows, and leaves such plans out.
   *
   * @param limit a statement that bounds the transaction's waits
   */
  static IndexedQuery byKeys(Dialect dialect, String sql, Optional<String> limit) {
    return new IndexedQuery(
        first(limit, List.of(dialect.plannedOnce(), dialect.keyLookups(true))), sql, List.of());
  }

  /** A statement among others of a transaction that looks up rows by their keys. */
  static IndexedQuery byKeysAmongOthers(Dialect dialect, String sql) {
    return amongOthers(dialect.keyLookups(true), sql, dialect.keyLookups(false));
  }

  /** A statement among others of a transaction that walks over an index, from one place on. */
  static IndexedQuery inOrderAmongOthers(Dialect dialect, String sql) {
    return amongOthers(dialect.orderedScans(true), sql, dialect.orderedScans(false));
  }

  private static IndexedQuery amongOthers(
      Optional<String> planning, String sql, Optional<String> undone) {
    return new IndexedQuery(
        first(Optional.empty(), List.of(planning)), sql, first(Optional.empty(), List.of(undone)));
  }

  /** The limit comes last: planning has one for reads. */
  private static List<String> first(Optional<String> limit, List<Optional<String>> planning) {
    List<String> expressions = planning.stream().flatMap(Optional::stream).toList();
    Stream<String> select =
        expressions.isEmpty()
            ? Stream.empty()
            : Stream.of("SELECT " + String.join(", ", expressions));
    return Stream.concat(select, limit.stream()).toList();
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return connection.prepareStatement(sql);
  }

  /** Its rows; closed with the statement. */
  ResultSet execute(PreparedStatement prepared) throws SQLException {
    run(prepared);
    return prepared.getResultSet();
  }

  /** How many rows it has changed. */
  int update(PreparedStatement prepared) throws SQLException {
    run(prepared);
    return prepared.getUpdateCount();
  }

  private void run(PreparedStatement prepared) throws SQLException {
    prepared.execute();
    for (int i = 0; i < before; i++) {
      prepared.getMoreResults();
    }
  }
}
