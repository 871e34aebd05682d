/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection that one duty keeps for itself, so that handlers that drain the pool cannot make it
 * wait. It is taken at the first use or before, replaced after a failure, and given back as it
 * came. Safe to share between threads, one at a time.
 */
final class HeldConnection {
  private final String duty;
  private final DataSource dataSource;
  private final StoreFailures failures;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Connection connection; // guarded by lock
  private int networkTimeout; // guarded by lock; as it came
  private int isolation; // guarded by lock; as it came
  private boolean autoCommit; // guarded by lock; as it came

  /**
   * @param patience how long to wait for an answer of the database
   */
  HeldConnection(String duty, DataSource dataSource, StoreFailures failures, Duration patience) {
    this.duty = duty;
    this.dataSource = dataSource;
    this.failures = failures;
    this.patience = patience;
  }

  /** Takes the connection, if that was not done yet. */
  void open() {
    call(held -> true);
  }

  /** Runs single statements, each its own transaction. */
  <T> T call(SqlWork<T> work) {
    lock.lock();
    try {
      return work.with(connection());
    } catch (SQLException e) {
      StoreException failure = failures.of("No answer for \"" + duty + "\"", e);
      discardUnlessRefused(failure);
      throw failure;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs statements in one transaction.
   *
   * @param limit a statement that bounds the transaction's waits
   */
  <T> T inTransaction(Optional<String> limit, SqlWork<T> work) {
    return call(
        held -> {
          held.setAutoCommit(false);
          boolean committed = false;
          try {
            if (limit.isPresent()) {
              run(held, limit.get());
            }
            T result = work.with(held);
            held.commit();
            committed = true;
            return result;
          } finally {
            end(held, committed);
          }
        });
  }

  private static void run(Connection held, String sql) throws SQLException {
    try (PreparedStatement statement = held.prepareStatement(sql)) {
      statement.execute();
    }
  }

  /** Failures here follow the one that is already on its way, which discards the connection. */
  private static void end(Connection held, boolean committed) {
    try {
      if (!committed) {
        held.rollback();
      }
      held.setAutoCommit(true);
    } catch (SQLException e) {
      System.getLogger("io.posthorn.jdbc")
          .log(System.Logger.Level.DEBUG, "roll-back failed", StoreFailures.scrubbed(e));
    }
  }

  private Connection connection() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = dataSource.getConnection();
      autoCommit = open.getAutoCommit();
      isolation = open.getTransactionIsolation();
      networkTimeout = open.getNetworkTimeout();
      connection = open;
      open.setAutoCommit(true);
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        open.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      open.setNetworkTimeout(Runnable::run, Math.toIntExact(patience.toMillis()));
    }
    return open;
  }

  private void discardUnlessRefused(StoreException failure) {
    if (!failure.isRefused()) {
      close(true);
    }
  }

  /** Gives the connection back. Idempotent. */
  void close() {
    lock.lock();
    try {
      close(false);
    } finally {
      lock.unlock();
    }
  }

  private void close(boolean broken) {
    Connection open = connection;
    connection = null;
    if (open == null) {
      return;
    }
    try (open) {
      if (broken) {
        open.abort(Runnable::run);
      } else {
        open.setNetworkTimeout(Runnable::run, networkTimeout);
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
          open.setTransactionIsolation(isolation);
        }
        open.setAutoCommit(autoCommit);
      }
    } catch (SQLException e) {
      System.getLogger("io.posthorn.jdbc")
          .log(
              System.Logger.Level.DEBUG,
              "a connection could not be given back",
              StoreFailures.scrubbed(e));
    }
  }
}
