/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import java.sql.SQLException;
import java.util.Set;

/**
 * H2 2.2 and newer.
 *
 * @since 0.1
 */
public class H2Dialect implements Dialect {
  private static final Set<Integer> IN_USE = Set.of(50200, 40001, 90131);

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("H2");
  }

  @Override
  public String now() {
    return "CURRENT_TIMESTAMP(6)";
  }

  @Override
  public String plusMillis(String time, String millis) {
    return "DATEADD(MILLISECOND, " + millis + ", " + time + ")";
  }

  @Override
  public String millisUntil(String time) {
    // DATEDIFF compares what clocks on the wall show, whatever their zones.
    return "CAST((EXTRACT(EPOCH FROM %s) - EXTRACT(EPOCH FROM %s)) * 1000 AS BIGINT)"
        .formatted(time, now());
  }

  @Override
  public String nextValue(String sequence) {
    return "NEXT VALUE FOR " + sequence;
  }

  /**
   * H2 has no weaker lock, so settles of one relay wait for each other; they are short in an
   * embedded database. Heartbeats are in another table and do not wait.
   */
  @Override
  public String keyShareLock() {
    return "FOR UPDATE";
  }

  @Override
  public String lockUnlocked() {
    return "FOR UPDATE SKIP LOCKED";
  }

  @Override
  public boolean hasArrays() {
    return false;
  }

  @Override
  public int maxParameters() {
    return 10_000;
  }

  @Override
  public boolean createsTablesByDefault() {
    return true;
  }

  /** Lock timeout, deadlock, a row or table that somebody else is changing. */
  @Override
  public boolean tablesWereInUse(SQLException e) {
    return IN_USE.contains(e.getErrorCode());
  }
}
