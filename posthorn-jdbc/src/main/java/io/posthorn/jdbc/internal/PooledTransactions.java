/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Transactions with a connection from the pool for each, which goes back as it came. For what
 * people do; relays have connections of their own. Safe to share between threads.
 */
final class PooledTransactions {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final DataSource dataSource;
  private final StoreFailures failures;
  private final Optional<String> limit;

  PooledTransactions(DataSource dataSource, Dialect dialect) {
    this.dataSource = dataSource;
    this.failures = new StoreFailures(dialect);
    this.limit = dialect.transactionLimit(PATIENCE);
  }

  /**
   * @param undone what to say if it fails: {@code Nothing purged}
   */
  <T> T call(String undone, SqlWork<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      int isolation = connection.getTransactionIsolation();
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      connection.setAutoCommit(false);
      try {
        return committed(connection, work);
      } finally {
        connection.setAutoCommit(autoCommit);
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
          connection.setTransactionIsolation(isolation);
        }
      }
    } catch (SQLException e) {
      throw failures.of(undone, e);
    }
  }

  private <T> T committed(Connection connection, SqlWork<T> work) throws SQLException {
    boolean committed = false;
    try {
      if (limit.isPresent()) {
        try (PreparedStatement bound = connection.prepareStatement(limit.get())) {
          bound.execute();
        }
      }
      T result = work.with(connection);
      connection.commit();
      committed = true;
      return result;
    } finally {
      if (!committed) {
        connection.rollback();
      }
    }
  }
}
