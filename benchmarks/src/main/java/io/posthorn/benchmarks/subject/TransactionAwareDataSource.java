/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gives the connection of the calling thread's transaction to whoever asks, or one of the pool if
 * there is no transaction. For systems that join a transaction by their data source only.
 */
final class TransactionAwareDataSource implements DataSource {
  private static final ThreadLocal<@Nullable Connection> CURRENT = new ThreadLocal<>();

  private final DataSource pool;

  TransactionAwareDataSource(DataSource pool) {
    this.pool = pool;
  }

  /** Runs the work in a transaction that is committed, or rolled back if the work throws. */
  void transact(Subject.Business work) throws Exception {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      CURRENT.set(withoutClose(connection));
      try {
        work.run(connection);
        connection.commit();
      } catch (Exception e) {
        connection.rollback();
        throw e;
      } finally {
        CURRENT.remove();
      }
    }
  }

  private static Connection withoutClose(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = CURRENT.get();
    return connection == null ? pool.getConnection() : connection;
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return pool.getConnection(username, password);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    pool.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return pool.isWrapperFor(type);
  }
}
