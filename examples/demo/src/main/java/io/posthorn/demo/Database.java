/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;
import io.posthorn.servers.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The embedded server, or the user's. */
final class Database implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final @Nullable Server server;
  private final Product product;
  private final String url;
  private final String title;

  private Database(@Nullable Server server, Product product, String url, String title) {
    this.server = server;
    this.product = product;
    this.url = url;
    this.title = title;
  }

  /** Starts a server of our own if there is no URL. */
  static Database open(Product product, @Nullable String jdbcUrl) {
    if (jdbcUrl != null) {
      return new Database(null, product, jdbcUrl, product.word() + " at --jdbc-url");
    }
    if (product == Product.POSTGRESQL) {
      PostgresServer server = PostgresServer.newest();
      start(server);
      String title = "an embedded PostgreSQL " + server.version();
      return new Database(server, product, server.jdbcUrl(), title);
    }
    MySqlServer server = product == Product.MARIADB ? MySqlServer.mariaDb() : MySqlServer.mySql();
    start(server);
    return new Database(server, product, server.jdbcUrl("demo"), "an embedded " + server.title());
  }

  private static void start(Server server) {
    try {
      server.start();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  Product product() {
    return product;
  }

  /** May hold a password: never to be printed. */
  String url() {
    return url;
  }

  String title() {
    return title;
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
  void lock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(product.oneDemoAtATime)) {
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
