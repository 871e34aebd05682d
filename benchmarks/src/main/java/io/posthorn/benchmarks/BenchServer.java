/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.subject.DatabaseProduct;
import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The database server of a run: its own, or the user's, where each subject gets a database. */
final class BenchServer implements AutoCloseable {
  private static final Pattern URL =
      Pattern.compile("(jdbc:(?:postgresql|mariadb|mysql)://[^/?]+/)([^?]*)(\\?.*)?");

  private final DatabaseProduct product;
  private final String url;
  private final @Nullable DatabaseServer own;
  private final List<String> databases = new ArrayList<>();

  private BenchServer(String url, @Nullable DatabaseServer own) {
    this.product = DatabaseProduct.of(url);
    this.url = url;
    this.own = own;
  }

  /** Starts a server, durable as in production, with memory for the tables. */
  static BenchServer start(DatabaseProduct product) {
    return switch (product) {
      case POSTGRESQL -> started(postgres(), "postgres");
      case MARIADB -> started(mySql(MySqlServer.mariaDb(), "innodb-log-file-size"), "bench");
      case MYSQL -> started(mySql(MySqlServer.mySql(), "innodb-redo-log-capacity"), "bench");
    };
  }

  /** The driver of MySQL and MariaDB creates the first database; PostgreSQL has one. */
  private static BenchServer started(DatabaseServer server, String database) {
    server.start();
    return new BenchServer(server.jdbcUrl(database), server);
  }

  private static PostgresServer postgres() {
    PostgresServer server = PostgresServer.newest();
    Map.of(
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "max_connections", "600",
            "shared_preload_libraries", "pg_stat_statements")
        .forEach(server::withSetting);
    return server;
  }

  private static MySqlServer mySql(MySqlServer server, String redoLog) {
    return server
        .withSetting("innodb-buffer-pool-size", "1G")
        .withSetting("max-connections", "600")
        .withSetting(redoLog, "2G");
  }

  /**
   * @throws IllegalArgumentException if it is no URL of a database that the benchmarks run on
   */
  static BenchServer at(String url) {
    if (!URL.matcher(url).matches()) {
      throw new IllegalArgumentException(
          "--jdbc-url was not of the form jdbc:postgresql://host:port/database?user=…, jdbc:mariadb://… or jdbc:mysql://…; the user must be allowed to create databases");
    }
    return new BenchServer(url, null);
  }

  DatabaseProduct product() {
    return product;
  }

  /** Product and version. */
  String version() throws SQLException {
    return product.title()
        + " "
        + list(isPostgres() ? "SHOW server_version" : "SELECT VERSION()").get(0);
  }

  private boolean isPostgres() {
    return product == DatabaseProduct.POSTGRESQL;
  }

  private List<String> list(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  /**
   * Creates an empty database, where statements are counted if the server can, and returns its URL.
   */
  String createDatabase(String purpose) throws SQLException {
    String name = "posthorn_bench_" + purpose.replace('-', '_');
    drop(name);
    execute(url, "CREATE DATABASE " + name);
    databases.add(name);
    String created = urlOf(name);
    if (isPostgres()
        && list("SHOW shared_preload_libraries").get(0).contains("pg_stat_statements")) {
      execute(created, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    }
    return created;
  }

  void drop(String name) throws SQLException {
    if (isPostgres()) {
      for (String left :
          list("SELECT gid FROM pg_prepared_xacts WHERE database = '" + name + "'")) {
        execute(urlOf(name), "ROLLBACK PREPARED '" + left + "'"); // of a process that was killed
      }
    }
    execute(url, "DROP DATABASE IF EXISTS " + name + (isPostgres() ? " WITH (FORCE)" : ""));
    databases.remove(name);
  }

  private String urlOf(String database) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalStateException("no URL of a database");
    }
    return parts.group(1) + database + (parts.group(3) == null ? "" : parts.group(3));
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  void dropAll() throws SQLException {
    for (String name : List.copyOf(databases)) {
      drop(name);
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      dropAll();
    } finally {
      if (own != null) {
        own.close();
      }
    }
  }
}
