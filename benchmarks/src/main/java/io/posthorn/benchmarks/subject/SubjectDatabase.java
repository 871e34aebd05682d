/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The database that a subject has for itself. Its data source is a pool that notes when a thread
 * asks for a commit, which is where latency begins, the same for all subjects.
 */
public final class SubjectDatabase implements AutoCloseable {
  private static final ThreadLocal<Long> COMMIT_ASKED = ThreadLocal.withInitial(() -> 0L);

  private final DatabaseProduct product;
  private final HikariDataSource pool;

  public SubjectDatabase(String url, int connections) {
    this.product = DatabaseProduct.of(url);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    this.pool = new HikariDataSource(config);
  }

  public DatabaseProduct product() {
    return product;
  }

  /** When the calling thread last asked for a commit, in {@link System#nanoTime()}. */
  public static long commitAsked() {
    return COMMIT_ASKED.get();
  }

  public DataSource dataSource() {
    return new StampingDataSource();
  }

  /** The same connections, without the note and what it costs; for relays. */
  public DataSource plainDataSource() {
    return pool;
  }

  @Override
  public void close() {
    pool.close();
  }

  private static Connection stamping(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")) {
                COMMIT_ASKED.set(System.nanoTime());
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private final class StampingDataSource implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
      return stamping(pool.getConnection());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
      return stamping(pool.getConnection(username, password));
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
}
