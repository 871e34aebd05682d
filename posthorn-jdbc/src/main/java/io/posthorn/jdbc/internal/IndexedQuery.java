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
import java.util.Optional;

/**
 * A query that is planned once, and for indexes even if its tables were empty then. Tables of an
 * outbox are empty most of the time; a plan made then reads whole tables, and is kept while they
 * grow. Planning each time would cost more than the query. What prevents both is sent with the
 * query: one round trip, one transaction.
 */
final class IndexedQuery {
  private final String sql;
  private final boolean prefixed;

  IndexedQuery(Dialect dialect, String sql) {
    Optional<String> before = dialect.plannedOnceByIndex();
    this.prefixed = before.isPresent();
    this.sql = before.map(setting -> "SELECT " + setting + ";\n" + sql).orElse(sql);
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    return connection.prepareStatement(sql);
  }

  /** Its rows; closed with the statement. */
  ResultSet execute(PreparedStatement prepared) throws SQLException {
    prepared.execute();
    if (prefixed) {
      prepared.getMoreResults();
    }
    return prepared.getResultSet();
  }
}
