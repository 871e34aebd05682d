/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Reads a table that has nothing to do with messages, and notes how long that takes. */
final class Bystander implements AutoCloseable {
  private static final int ROWS = 10_000;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Stage stage;
  private final Thread thread = new Thread(this::read, "bystander");
  private volatile NumberLog times = new NumberLog();
  private volatile boolean stopped;

  private Bystander(Stage stage) {
    this.stage = stage;
  }

  static Bystander start(Stage stage) throws SQLException {
    stage.execute(
        "CREATE TABLE IF NOT EXISTS unrelated AS SELECT n AS id, repeat('x', 200) AS note FROM generate_series(1, "
            + ROWS
            + ") AS n");
    stage.execute("CREATE UNIQUE INDEX IF NOT EXISTS unrelated_ix ON unrelated (id)");
    stage.execute("VACUUM ANALYZE unrelated");
    Bystander bystander = new Bystander(stage);
    bystander.thread.start();
    return bystander;
  }

  /** What was noted since the last call. */
  Latencies take() {
    NumberLog taken = times;
    times = new NumberLog();
    long[] nanos = new long[taken.size()];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = taken.nanos(i);
    }
    return Latencies.of(nanos);
  }

  private void read() {
    try (Connection connection = stage.connect();
        PreparedStatement select =
            connection.prepareStatement("SELECT note FROM unrelated WHERE id = ?")) {
      for (int turn = 0; !stopped; turn++) {
        long begun = System.nanoTime();
        select.setInt(1, 1 + turn * 7 % ROWS);
        try (ResultSet rows = select.executeQuery()) {
          rows.next();
        }
        times.add(turn, System.nanoTime() - begun);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the bystander's read failed", e);
    }
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
