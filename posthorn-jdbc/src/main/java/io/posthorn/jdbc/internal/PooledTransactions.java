/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LoggerSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Transactions with a connection from the pool for each, which goes back as it came. For what
 * people do; relays have connections of their own. Safe to share between threads.
 */
final class PooledTransactions {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MOST_TRIES = 5;

  private final ConnectionSource source;
  private final StoreFailures failures;
  private final Optional<String> limit;

  PooledTransactions(ConnectionSource source, Dialect dialect) {
    this.source = source;
    this.failures = new StoreFailures(dialect);
    this.limit = dialect.transactionLimit(PATIENCE);
  }

  /**
   * @param undone what to say if it fails: {@code Nothing purged}
   */
  <T> T call(String undone, SqlWork<T> work) {
    try (Connection connection = source.connection(undone)) {
      boolean autoCommit = connection.getAutoCommit();
      int isolation = connection.getTransactionIsolation();
      try {
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
          connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        connection.setAutoCommit(false);
        return repeated(connection, work);
      } finally {
        giveBack(connection, autoCommit, isolation);
      }
    } catch (SQLException e) {
      throw failures.of(undone, e);
    }
  }

  /** Of those who wait for each other the database takes one back, which begins anew. */
  private <T> T repeated(Connection connection, SqlWork<T> work) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        return committed(connection, work);
      } catch (SQLException e) {
        if (tries == MOST_TRIES || !failures.isRepeatable(e)) {
          throw e;
        }
      }
    }
  }

  private <T> T committed(Connection connection, SqlWork<T> work) throws SQLException {
    try {
      SqlWork.run(connection, limit);
      T result = work.with(connection);
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollbackAfter(connection, e);
      throw e;
    }
  }

  /** Later failures are kept with the first one. */
  private static void rollbackAfter(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
      abort(connection, failure);
    }
  }

  /** What was not rolled back must not be committed when auto-commit is turned on again. */
  private static void abort(Connection connection, Throwable failure) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** Failures here must not hide what came of the transaction; the pool checks the connection. */
  private void giveBack(Connection connection, boolean autoCommit, int isolation) {
    try {
      SqlWork.run(connection, failures.noTransactionLimit());
      connection.setAutoCommit(autoCommit);
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(isolation);
      }
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(
              System.Logger.Level.DEBUG,
              "a connection goes back changed",
              StoreFailures.scrubbed(e));
    }
  }
}
