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
import java.util.stream.Stream;

/**
 * A query that is planned once, and for indexes even if its tables were empty then. Tables of an
 * outbox are empty most of the time; a plan made then reads whole tables, and is kept while they
 * grow. Planning each time would cost more than the query. What prevents both is sent with the
 * query: one round trip, one transaction.
 */
final class IndexedQuery {
  private final String sql;
  private final int before; // statements

  IndexedQuery(Dialect dialect, String sql) {
    this(dialect, sql, Optional.empty());
  }

  /**
   * @param limit a statement that bounds the transaction's waits, for a query that takes locks
   */
  IndexedQuery(Dialect dialect, String sql, Optional<String> limit) {
    Optional<String> planning = dialect.plannedOnceByIndex().map(setting -> "SELECT " + setting);
    List<String> statements =
        Stream.of(planning, planning.flatMap(any -> limit), Optional.of(sql))
            .flatMap(Optional::stream)
            .toList();
    this.before = statements.size() - 1;
    this.sql = String.join(";\n", statements);
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return connection.prepareStatement(sql);
  }

  /** Its rows; closed with the statement. */
  ResultSet execute(PreparedStatement prepared) throws SQLException {
    prepared.execute();
    for (int i = 0; i < before; i++) {
      prepared.getMoreResults();
    }
    return prepared.getResultSet();
  }
}
