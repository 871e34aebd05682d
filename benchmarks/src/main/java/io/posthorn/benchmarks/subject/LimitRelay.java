/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One thread that selects up to 1,000 rows behind a lagging cursor, handles them, deletes them by
 * one statement and commits, as long as there are any; then it waits for a signal. At READ
 * COMMITTED, or deletes would lock gaps on MySQL.
 */
final class LimitRelay {
  static final int BATCH = 1_000;

  /** How far the cursor lags, so that rows which commit late are seen. */
  private static final long LAG_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long POLL_MILLIS = 100;

  private final DataSource dataSource;
  private final LimitTable table;
  private final String read;
  private final LimitSink sink;
  private final Semaphore signals = new Semaphore(0);
  private final Thread thread = new Thread(this::run, "limit-relay");
  private volatile boolean stopped;
  private volatile @Nullable Exception failure;

  private final TreeSet<Long> handled = new TreeSet<>(); // relay thread only, as all below
  private long cursor;
  private long nextCursor;
  private long highest;
  private long movedAt = System.nanoTime();

  LimitRelay(DataSource dataSource, LimitTable table, LimitSink sink) {
    this.dataSource = dataSource;
    this.table = table;
    this.read = table.select(BATCH);
    this.sink = sink;
  }

  void start() {
    thread.start();
  }

  void signal() {
    if (signals.availablePermits() == 0) {
      signals.release();
    }
  }

  void stop() throws Exception {
    stopped = true;
    signal();
    thread.join(TimeUnit.SECONDS.toMillis(30));
    sink.close();
    if (failure != null) {
      throw failure;
    }
  }

  private void run() {
    try (Connection connection = dataSource.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      while (!stopped) {
        if (!runOnce(connection)) {
          signals.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS);
          signals.drainPermits();
        }
      }
    } catch (SQLException | RuntimeException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean runOnce(Connection connection) throws SQLException {
    List<Long> seqs = new ArrayList<>(BATCH);
    try (PreparedStatement statement = connection.prepareStatement(read)) {
      statement.setLong(1, cursor);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long seq = rows.getLong(1);
          seqs.add(seq);
          if (handled.add(seq)) {
            byte[] payload = rows.getBytes(3);
            sink.take(table.id(rows, seq), Order.parse(payload), payload);
          }
          highest = Math.max(highest, seq);
        }
      }
    }
    sink.flush();
    if (!seqs.isEmpty()) {
      table.delete(connection, seqs);
    }
    connection.commit();
    moveCursor();
    return !seqs.isEmpty();
  }

  private void moveCursor() {
    long now = System.nanoTime();
    if (now - movedAt > LAG_NANOS) {
      cursor = nextCursor;
      nextCursor = highest;
      movedAt = now;
      handled.headSet(cursor, true).clear();
    }
  }
}
