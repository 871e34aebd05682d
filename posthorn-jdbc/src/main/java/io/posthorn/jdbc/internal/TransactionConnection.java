/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose commits, roll-backs and savepoints are seen, so that a program uses plain
 * JDBC. After a commit or roll-back the next transaction begins, as always in JDBC. One thread
 * only.
 */
public final class TransactionConnection extends ForwardingConnection {
  private final Connection connection;
  private final Runnable unbind;
  private final boolean autoCommit;
  private @Nullable JdbcTransaction transaction; // made when somebody asks for it
  private boolean closed;

  public TransactionConnection(Connection connection, Runnable unbind) throws SQLException {
    super(connection);
    this.connection = connection;
    this.unbind = unbind;
    this.autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
  }

  public Transaction transaction() {
    return asked();
  }

  private JdbcTransaction asked() {
    JdbcTransaction known = transaction;
    if (known == null) {
      known = new JdbcTransaction(connection);
      transaction = known;
    }
    return known;
  }

  @Override
  public void setAutoCommit(boolean wanted) throws SQLException {
    if (wanted) {
      throw new SQLException(
          "this connection is in a transaction of JdbcTransactions; commit or close it instead");
    }
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    return told(connection.setSavepoint());
  }

  @Override
  public Savepoint setSavepoint(String name) throws SQLException {
    return told(connection.setSavepoint(name));
  }

  private Savepoint told(Savepoint savepoint) {
    asked().tellSavepoint(listener -> listener.savepointSet(savepoint));
    return savepoint;
  }

  @Override
  public void releaseSavepoint(Savepoint savepoint) throws SQLException {
    connection.releaseSavepoint(savepoint);
    asked().tellSavepoint(listener -> listener.savepointReleased(savepoint));
  }

  @Override
  public void commit() throws SQLException {
    JdbcTransaction ending = asked();
    try {
      ending.prepareCommit();
    } catch (RuntimeException | Error e) {
      rollbackAfter(e);
      throw e;
    }
    try {
      connection.commit();
    } catch (SQLException e) {
      rollbackAfter(e);
      throw e;
    }
    ending.committed();
    transaction = null;
  }

  /** Later failures are kept with the first one. */
  private void rollbackAfter(Throwable failure) {
    try {
      rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    connection.rollback(savepoint);
    asked().tellSavepoint(listener -> listener.rolledBackTo(savepoint));
  }

  @Override
  public void rollback() throws SQLException {
    JdbcTransaction ending = transaction;
    if (ending != null) {
      ending.end();
    }
    try {
      connection.rollback();
    } finally {
      if (ending != null) {
        ending.rolledBack();
      }
      transaction = null;
    }
  }

  @Override
  public void close() throws SQLException {
    if (closed) {
      return;
    }
    closed = true;
    try (Connection toClose = connection) {
      unbind.run();
      if (!toClose.isClosed()) {
        rollback();
        toClose.setAutoCommit(autoCommit);
      }
    }
  }
}
