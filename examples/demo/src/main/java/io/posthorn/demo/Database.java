/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The embedded PostgreSQL server, or the user's. */
final class Database implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final String ONE_DEMO_AT_A_TIME = "SELECT pg_try_advisory_lock(7041776)";

  private final @Nullable PostgresServer server;
  private final String url;

  private Database(@Nullable PostgresServer server, String url) {
    this.server = server;
    this.url = url;
  }

  /** Starts a server of our own if there is no URL. */
  static Database open(@Nullable String jdbcUrl) {
    if (jdbcUrl != null) {
      return new Database(null, jdbcUrl);
    }
    PostgresServer server = PostgresServer.newest();
    try {
      server.start();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return new Database(server, server.jdbcUrl());
  }

  /** May hold a password: never to be printed. */
  String url() {
    return url;
  }

  String title() {
    return server == null
        ? "PostgreSQL at --jdbc-url"
        : "an embedded PostgreSQL " + server.version();
  }

  /** Connects. */
  HikariDataSource pool(int connections) {
    return pool(url, connections);
  }

  static HikariDataSource pool(String url, int connections) {
    // Hikari's messages are of no interest here, and nobody on the class path takes them.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
    return new HikariDataSource(config);
  }

  /**
   * Keeps other demos out of this database as long as the connection is open.
   *
   * @throws DemoException if one is running
   */
  static void lock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ONE_DEMO_AT_A_TIME)) {
      row.next();
      if (!row.getBoolean(1)) {
        throw new DemoException("another demo is running on this database; wait for its end");
      }
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
