/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.SqlServerDialect;

/**
 * H2 where shared SQL is written as for SQL Server, as far as H2 understands it: what no server
 * here can run is run at least by another database. Locks, times, types and the order are H2's own.
 */
final class H2LikeSqlServer extends H2Dialect {
  private final SqlServerDialect sqlServer = new SqlServerDialect();
  private final String now;

  H2LikeSqlServer(String now) {
    this.now = now;
  }

  @Override
  public String now() {
    return now;
  }

  @Override
  public boolean drawsInQueries() {
    return sqlServer.drawsInQueries();
  }

  @Override
  public String firstRows(String count) {
    return sqlServer.firstRows(count);
  }

  @Override
  public String rowAfter(int others) {
    return sqlServer.rowAfter(others);
  }

  @Override
  public String inUnion(String query) {
    return sqlServer.inUnion(query);
  }

  @Override
  public String literal(boolean truth) {
    return sqlServer.literal(truth);
  }

  @Override
  public String value(String condition) {
    return sqlServer.value(condition);
  }

  @Override
  public boolean comparesTuples() {
    return sqlServer.comparesTuples();
  }

  @Override
  public int maxParameters() {
    return sqlServer.maxParameters();
  }
}
