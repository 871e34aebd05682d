/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.Transaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose commits, roll-backs and savepoints are seen, so that a program uses plain
 * JDBC. After a commit or roll-back the next transaction begins, as always in JDBC. One thread
 * only.
 */
public final class TransactionConnection implements InvocationHandler {
  private final Connection connection;
  private final Connection proxy;
  private final Runnable unbind;
  private final boolean autoCommit;
  private @Nullable JdbcTransaction transaction; // made when somebody asks for it
  private boolean closed;

  public TransactionConnection(Connection connection, Runnable unbind) throws SQLException {
    this.connection = connection;
    this.unbind = unbind;
    this.autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    this.proxy =
        (Connection)
            Proxy.newProxyInstance(
                TransactionConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                this);
  }

  /** What the program uses. */
  public Connection proxy() {
    return proxy;
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
  public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object[] given = arguments == null ? new Object[0] : arguments;
    switch (method.getName()) {
      case "commit" -> commit();
      case "rollback" -> rollback(given.length == 0 ? null : (Savepoint) given[0]);
      case "close" -> close();
      case "setAutoCommit" -> refuseAutoCommit((Boolean) given[0]);
      case "setSavepoint" -> {
        Object savepoint = call(method, given);
        if (savepoint != null) {
          asked().tellSavepoint(listener -> listener.savepointSet(savepoint));
        }
        return savepoint;
      }
      case "releaseSavepoint" -> {
        call(method, given);
        asked().tellSavepoint(listener -> listener.savepointReleased(given[0]));
      }
      case "equals" -> {
        return self == given[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(self);
      }
      default -> {
        return call(method, given);
      }
    }
    return null;
  }

  private @Nullable Object call(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static void refuseAutoCommit(boolean wanted) throws SQLException {
    if (wanted) {
      throw new SQLException(
          "this connection is in a transaction of JdbcTransactions; commit or close it instead");
    }
  }

  private void commit() throws SQLException {
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
      rollback(null);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private void rollback(@Nullable Savepoint savepoint) throws SQLException {
    if (savepoint != null) {
      connection.rollback(savepoint);
      asked().tellSavepoint(listener -> listener.rolledBackTo(savepoint));
      return;
    }
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

  private void close() throws SQLException {
    if (closed) {
      return;
    }
    closed = true;
    try (Connection toClose = connection) {
      unbind.run();
      if (!toClose.isClosed()) {
        rollback(null);
        toClose.setAutoCommit(autoCommit);
      }
    }
  }
}
