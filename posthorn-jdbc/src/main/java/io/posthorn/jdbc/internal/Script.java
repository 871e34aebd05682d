/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/** A shipped script that creates tables, run by one creator at a time. */
final class Script {
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

  /**
   * Runs the script unless that was done, in one transaction where the database can.
   *
   * @param names puts the names that were asked for into the script
   */
  void run(Connection connection, UnaryOperator<String> names, SqlWork<Boolean> done)
      throws SQLException {
    if (done.with(connection)) {
      return;
    }
    CREATING.lock();
    try {
      runOneAtATime(connection, names, done);
    } finally {
      CREATING.unlock();
    }
  }

  private void runOneAtATime(
      Connection connection, UnaryOperator<String> names, SqlWork<Boolean> done)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    int isolation = connection.getTransactionIsolation();
    connection.setAutoCommit(true); // isolation cannot be changed within a transaction
    // A stricter one would not see what another creator did while this one waited for the lock.
    isolate(connection, isolation, Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      Optional<String> lock = dialect.creationLock();
      if (lock.isPresent()) {
        statement.execute(lock.get());
      }
      if (!done.with(connection)) {
        for (String sql : statements(names.apply(text()))) {
          statement.execute(sql);
        }
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
      isolate(connection, Connection.TRANSACTION_READ_COMMITTED, isolation);
      connection.setAutoCommit(autoCommit);
    }
  }

  private static void isolate(Connection connection, int from, int to) throws SQLException {
    if (from != to) {
      connection.setTransactionIsolation(to);
    }
  }

  private String text() {
    try (InputStream in = Script.class.getClassLoader().getResourceAsStream(path)) {
      if (in == null) {
        throw new ConfigurationException(
            List.of("there is no script \"%s\"; create the tables by hand".formatted(path)));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
