/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A script that creates or changes tables, run by one process at a time. It gives way to whoever
 * uses the tables: it waits for a lock a moment, lets the others pass, and begins anew.
 */
final class Script {
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final int MOST_TRIES = 60;

  // For databases that have no lock for it: the embedded ones, which live in one JVM.
  private static final ReentrantLock CREATING = new ReentrantLock();

  private final Dialect dialect;
  private final String path;

  /**
   * @param path on the class path
   */
  Script(Dialect dialect, String path) {
    this.dialect = dialect;
    this.path = path;
  }

  String path() {
    return path;
  }

  boolean exists() {
    return dialect.script(path).isPresent();
  }

  String text() {
    return dialect
        .script(path)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    List.of(
                        "there is no script \"%s\"; create the tables by hand".formatted(path))));
  }

  /**
   * Runs the script unless that was done, in one transaction where the database can.
   *
   * @param names puts the names that were asked for into the script
   * @param done whether it was run to its end
   */
  void run(Connection connection, UnaryOperator<String> names, SqlWork<Boolean> done)
      throws SQLException {
    if (done.with(connection)) {
      return;
    }
    CREATING.lock();
    try {
      runOneAtATime(connection, statements(names.apply(text())), done);
    } finally {
      CREATING.unlock();
    }
  }

  private void runOneAtATime(Connection connection, List<String> statements, SqlWork<Boolean> done)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    int isolation = connection.getTransactionIsolation();
    connection.setAutoCommit(true); // isolation cannot be changed within a transaction
    // A stricter one would not see what another creator did while this one waited for the lock.
    isolate(connection, isolation, Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    SQLException failure = null;
    try {
      repeated(connection, statements, done);
    } catch (SQLException e) {
      failure = e;
      throw e;
    } finally {
      giveBack(connection, autoCommit, isolation, failure);
    }
  }

  private void repeated(Connection connection, List<String> statements, SqlWork<Boolean> done)
      throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        once(connection, statements, done);
        return;
      } catch (SQLException e) {
        rollbackAfter(connection, e);
        if (!dialect.tablesWereInUse(e)) {
          throw e;
        }
        if (tries == MOST_TRIES) {
          throw inUse(e);
        }
      } catch (RuntimeException e) {
        connection.rollback();
        throw e;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void once(Connection connection, List<String> statements, SqlWork<Boolean> done)
      throws SQLException {
    // Without the limit: another creator may need long.
    SqlWork.run(connection, dialect.creationLock());
    if (!done.with(connection)) {
      SqlWork.run(connection, dialect.scriptLimit(LOCK_LIMIT));
      for (String sql : statements) {
        execute(connection, sql);
      }
      if (!done.with(connection)) {
        throw new ConfigurationException(
            List.of("the script \"%s\" has not recorded that it was run".formatted(path)));
      }
    }
    connection.commit();
  }

  private void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      if (!dialect.wasDoneBefore(e)) {
        throw e;
      }
    }
  }

  private SQLException inUse(SQLException e) {
    return new SQLException(
        "the script \"%s\" was tried %d times, but other transactions keep a lock on its tables: end those that stay open, and start again (%s)"
            .formatted(path, MOST_TRIES, StoreFailures.firstLine(e)),
        e.getSQLState(),
        e.getErrorCode(),
        e);
  }

  /** Later failures are kept with the first one. */
  private static void rollbackAfter(Connection connection, SQLException failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private void giveBack(
      Connection connection, boolean autoCommit, int isolation, @Nullable SQLException failure)
      throws SQLException {
    try {
      SqlWork.run(connection, dialect.noTransactionLimit());
      connection.setAutoCommit(true);
      isolate(connection, Connection.TRANSACTION_READ_COMMITTED, isolation);
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }

  private static void isolate(Connection connection, int from, int to) throws SQLException {
    if (from != to) {
      connection.setTransactionIsolation(to);
    }
  }

  private static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    // GO divides scripts for the tools of SQL Server.
    String withoutComments = script.replaceAll("(?m)^\\s*--.*$|^GO\\s*$", "");
    for (String statement : withoutComments.split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }
}
