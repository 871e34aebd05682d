/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** A database of its own for one test, with a pool and a table for effects. */
final class TestDatabase implements AutoCloseable {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

  private final HikariDataSource dataSource;
  private final String waiting;

  /**
   * @param waiting counts the sessions that wait for another one's row
   */
  private TestDatabase(String url, String waiting) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(10);
    config.setMinimumIdle(0);
    this.dataSource = new HikariDataSource(config);
    this.waiting = waiting;
    execute("CREATE TABLE effect (what varchar(100) NOT NULL)");
  }

  static TestDatabase h2() {
    return new TestDatabase(
        "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000",
        "SELECT count(*) FROM information_schema.sessions WHERE executing_statement LIKE 'INSERT INTO inbox_message%'");
  }

  static TestDatabase postgres() {
    return new TestDatabase(
        PostgresServer.shared().freshDatabase(),
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
  }

  static TestDatabase mySql(MySqlServer server) {
    return new TestDatabase(
        server.freshDatabase(),
        // innodb_trx is not renewed while somebody reads it all the time.
        "SELECT count(*) FROM information_schema.processlist WHERE id <> connection_id() AND info LIKE 'INSERT%inbox_message%'");
  }

  DataSource dataSource() {
    return dataSource;
  }

  JdbcTransactions transactions() {
    return new JdbcTransactions(dataSource);
  }

  InboxTable.Builder table() {
    return InboxTable.builder(dataSource).createTables(true);
  }

  void execute(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  long number(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  long rows() {
    return number("SELECT count(*) FROM inbox_message");
  }

  long effects() {
    return number("SELECT count(*) FROM effect");
  }

  /** Until so many sessions wait for a lock. */
  void awaitWaiting(int sessions) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (number(waiting) < sessions) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("there are no " + sessions + " sessions that wait for a lock");
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    String url = dataSource.getJdbcUrl();
    if (url.contains("createDatabaseIfNotExist")) { // its databases are the server's
      execute("DROP DATABASE IF EXISTS sales");
      execute("DROP DATABASE " + url.substring(url.lastIndexOf('/') + 1, url.indexOf('?')));
    }
    dataSource.close();
  }
}
