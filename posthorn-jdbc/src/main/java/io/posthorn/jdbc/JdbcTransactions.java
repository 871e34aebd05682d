/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import static java.util.Objects.requireNonNull;

import io.posthorn.PublishException;
import io.posthorn.jdbc.internal.StoreFailures;
import io.posthorn.jdbc.internal.TransactionConnection;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * Transactions bound to the calling thread, for programs without a framework. Safe to share between
 * threads.
 *
 * <pre>{@code
 * try (Connection connection = transactions.begin()) {
 *   ...
 *   connection.commit();
 * }
 * }</pre>
 *
 * <p>Between {@code begin} and {@code close} the connection is the thread's transaction: what is
 * published goes with its commits, roll-backs and savepoints. Close without commit rolls back.
 *
 * @since 0.1
 */
public final class JdbcTransactions implements Transactions {
  private static final ThreadLocal<Map<JdbcTransactions, TransactionConnection>> BOUND =
      ThreadLocal.withInitial(WeakHashMap::new);

  private final DataSource dataSource;

  public JdbcTransactions(DataSource dataSource) {
    this.dataSource = requireNonNull(dataSource, "dataSource");
  }

  /** What is done in a transaction. */
  @FunctionalInterface
  public interface Work<T> {
    /**
     * @throws Exception any failure: the transaction rolls back
     */
    T with(Connection connection) throws Exception;
  }

  /** What is done in a transaction, without a result. */
  @FunctionalInterface
  public interface Action {
    /**
     * @throws Exception any failure: the transaction rolls back
     */
    void with(Connection connection) throws Exception;
  }

  /**
   * Begins a transaction on a new connection.
   *
   * @return the connection; commit or roll back by it, and close it
   * @throws IllegalStateException if the thread already has one
   */
  public Connection begin() throws SQLException {
    requireNone();
    Connection fresh = dataSource.getConnection();
    try {
      return bind(fresh);
    } catch (SQLException | RuntimeException e) {
      closeAfter(fresh, e);
      throw e;
    }
  }

  /** Later failures are kept with the first one. */
  private static void closeAfter(Connection connection, Exception failure) {
    try {
      connection.close();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Makes a connection that the caller opened the thread's transaction.
   *
   * @param connection of the same database; closed with the returned one
   * @return the connection to use from now on; commit or roll back by it, and close it
   * @throws IllegalStateException if the thread already has one
   */
  public Connection bind(Connection connection) throws SQLException {
    requireNone();
    TransactionConnection bound =
        new TransactionConnection(connection, () -> BOUND.get().remove(this));
    BOUND.get().put(this, bound);
    return bound;
  }

  private void requireNone() {
    if (BOUND.get().containsKey(this)) {
      throw new IllegalStateException(
          "this thread already has a transaction; use its connection, close it first, or set a savepoint");
    }
  }

  /**
   * Runs an action in a transaction and commits, or joins the thread's transaction if it has one. A
   * failure rolls back and is thrown as it is.
   */
  public void run(Action action) throws Exception {
    call(
        connection -> {
          action.with(connection);
          return true;
        });
  }

  /** As {@link #run}, with a result. */
  public <T> T call(Work<T> work) throws Exception {
    TransactionConnection active = BOUND.get().get(this);
    if (active != null) {
      return work.with(active);
    }
    try (Connection connection = begin()) {
      T result = work.with(connection);
      connection.commit();
      return result;
    }
  }

  @Override
  public boolean canBegin() {
    return true;
  }

  @Override
  public <T> T inTransaction(Callable<T> work) throws Exception {
    Connection connection;
    try {
      connection = begin();
    } catch (SQLException e) {
      throw StoreFailures.noConnection("No transaction begun", e, dataSource);
    }
    try (connection) {
      T result = work.call();
      connection.commit();
      return result;
    }
  }

  @Override
  public Transaction current() {
    TransactionConnection bound = BOUND.get().get(this);
    if (bound != null) {
      return bound.transaction();
    }
    throw new PublishException(
        BOUND.get().isEmpty()
            ? "No message published: this thread has no active transaction. Publish inside JdbcTransactions.run(…), or between begin() and commit()"
            : "No message published: the transaction of this thread is on another data source than this outbox. Begin one on the outbox's own JdbcTransactions");
  }

  @Override
  public Optional<Transaction> active() {
    return Optional.ofNullable(BOUND.get().get(this)).map(TransactionConnection::transaction);
  }

  @Override
  public Optional<String> problemWith(Object resource) {
    return resource == dataSource ? Optional.empty() : Optional.of(DIFFERENT_DATA_SOURCES);
  }

  @Override
  public boolean isThreadInTransaction() {
    return BOUND.get().containsKey(this);
  }

  @Override
  public void abandon() {
    TransactionConnection bound = BOUND.get().get(this);
    try {
      if (bound != null) {
        bound.close();
      }
    } catch (SQLException e) {
      throw StoreFailures.noConnection("The transaction was not rolled back", e);
    }
  }
}
