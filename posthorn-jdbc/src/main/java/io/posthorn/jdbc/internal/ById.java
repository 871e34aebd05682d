/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.EntryId;
import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements on rows that are named by partition, seq and handler. */
final class ById {
  private static final String BY_ARRAYS =
      "(partition_no, seq, handler) IN (SELECT x.part, x.row_seq, x.to_handler FROM unnest(?::smallint[], ?::bigint[], ?::text[]) AS x(part, row_seq, to_handler))";

  private static final String BY_KEY = "(partition_no = ? AND seq = ? AND handler = ?)";

  private final Dialect dialect;

  ById(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Runs a statement that ends with WHERE or AND.
   *
   * @param first its parameters before the ids
   */
  int update(Connection connection, String sql, Collection<EntryId> ids, @Nullable String... first)
      throws SQLException {
    int updated = 0;
    for (List<EntryId> some : inStatements(ids)) {
      try (PreparedStatement update = connection.prepareStatement(sql + condition(some.size()))) {
        for (int i = 0; i < first.length; i++) {
          update.setString(i + 1, first[i]);
        }
        bind(update, first.length + 1, some);
        updated += update.executeUpdate();
      }
    }
    return updated;
  }

  /**
   * Locks those of the rows that are there, in an order that is the same for all.
   *
   * @param which what else must hold, beginning with AND, or nothing
   */
  List<EntryId> lock(Connection connection, String table, Collection<EntryId> ids, String which)
      throws SQLException {
    List<EntryId> found = new ArrayList<>();
    for (List<EntryId> some : inStatements(ids)) {
      String sql =
          dialect.lockingQuery(
              "partition_no, seq, handler",
              table,
              "WHERE %s %s ORDER BY seq, handler".formatted(condition(some.size()), which),
              dialect.lockRows());
      try (PreparedStatement lock = connection.prepareStatement(sql)) {
        bind(lock, 1, some);
        try (ResultSet rows = lock.executeQuery()) {
          while (rows.next()) {
            found.add(new EntryId(rows.getInt(1), rows.getLong(2), rows.getString(3)));
          }
        }
      }
    }
    return found.stream().distinct().toList();
  }

  /** Takes a row of a result. */
  interface RowTaker {
    void take(ResultSet row) throws SQLException;
  }

  /** Reads with a query that ends with WHERE or AND. */
  void read(Connection connection, String sql, Collection<EntryId> ids, RowTaker taker)
      throws SQLException {
    for (List<EntryId> some : inStatements(ids)) {
      try (PreparedStatement read = connection.prepareStatement(sql + condition(some.size()))) {
        bind(read, 1, some);
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            taker.take(rows);
          }
        }
      }
    }
  }

  /**
   * One by one where there are no arrays, in the order of locks: MariaDB serves a list of keys by a
   * walk over the table, which waits for the locks of others.
   */
  private List<List<EntryId>> inStatements(Collection<EntryId> ids) {
    return dialect.hasArrays()
        ? List.of(List.copyOf(ids))
        : ids.stream()
            .sorted(Comparator.comparingLong(EntryId::seq).thenComparing(EntryId::handler))
            .map(List::of)
            .toList();
  }

  String condition(int ids) {
    return dialect.hasArrays() ? BY_ARRAYS : "(" + BY_KEY + (" OR " + BY_KEY).repeat(ids - 1) + ")";
  }

  void bind(PreparedStatement statement, int from, List<EntryId> ids) throws SQLException {
    if (dialect.hasArrays()) {
      BulkStatements.bind(statement, from, "smallint", ids, id -> (short) id.partition());
      BulkStatements.bind(statement, from + 1, "bigint", ids, EntryId::seq);
      BulkStatements.bind(statement, from + 2, "text", ids, EntryId::handler);
      return;
    }
    int i = from;
    for (EntryId id : ids) {
      statement.setInt(i++, id.partition());
      statement.setLong(i++, id.seq());
      statement.setString(i++, id.handler());
    }
  }
}
