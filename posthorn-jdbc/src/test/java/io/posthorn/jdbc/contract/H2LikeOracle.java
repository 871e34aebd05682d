/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.OracleDialect;

/**
 * H2 where shared SQL is written as for Oracle, as far as H2 in its Oracle mode understands it:
 * what no server here can run is run at least by another database. Locks, gates, times and types
 * are H2's own.
 */
final class H2LikeOracle extends H2Dialect {
  private final OracleDialect oracle = new OracleDialect();
  private final String now;

  H2LikeOracle(String now) {
    this.now = now;
  }

  @Override
  public String now() {
    return now;
  }

  @Override
  public String nextValue(String sequence) {
    return oracle.nextValue(sequence);
  }

  @Override
  public boolean drawsInQueries() {
    return oracle.drawsInQueries();
  }

  @Override
  public boolean drawsForManyRows() {
    return oracle.drawsForManyRows();
  }

  @Override
  public String firstRows(String count) {
    return oracle.firstRows(count);
  }

  @Override
  public String rowAfter(int others) {
    return oracle.rowAfter(others);
  }

  @Override
  public String inUnion(String query) {
    return oracle.inUnion(query);
  }

  @Override
  public String fromNothing() {
    return oracle.fromNothing();
  }

  @Override
  public String literal(boolean truth) {
    return oracle.literal(truth);
  }

  @Override
  public String value(String condition) {
    return oracle.value(condition);
  }

  @Override
  public boolean comparesTuples() {
    return oracle.comparesTuples();
  }

  @Override
  public boolean emptyTextIsNull() {
    return oracle.emptyTextIsNull();
  }

  @Override
  public int maxParameters() {
    return oracle.maxParameters();
  }
}
