/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.TableRows;
import io.posthorn.servers.PostgresServer;
import io.posthorn.test.StoredRows;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A database of its own for one test, as an application would use it: real time, several pools, and
 * a view past all of them. Each pool bears the name of its application.
 */
public final class LiveDatabase implements AutoCloseable {
  /** What applications have; a busy machine may take seconds to open a connection. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final int RESERVE = 3;
  private static final int MAX_ROWS_SHOWN = 500; // a million would fill the heap of the test

  private final String url;
  private final List<HikariDataSource> pools = new ArrayList<>();

  private LiveDatabase(String url) {
    this.url = url;
  }

  static LiveDatabase onSharedServer() {
    return on(PostgresServer.shared());
  }

  static LiveDatabase on(PostgresServer server) {
    return on(server, 8);
  }

  public static LiveDatabase on(PostgresServer server, int partitions) {
    LiveDatabase database = new LiveDatabase(server.freshDatabase());
    database.createTables(partitions);
    return database;
  }

  private void createTables(int partitions) {
    store(pool("setup", 2)).createTables(true).partitions(partitions).build().open();
  }

  public String url() {
    return url;
  }

  /** A pool of its own, closed with the database. */
  public HikariDataSource pool(String application, int size) {
    return pool(application, size, PATIENCE);
  }

  /**
   * The same.
   *
   * @param patience how long to wait for a connection
   */
  HikariDataSource pool(String application, int size, Duration patience) {
    HikariDataSource pool = pool(url, application, size, patience);
    pools.add(pool);
    return pool;
  }

  static HikariDataSource pool(String url, String application, int size) {
    return pool(url, application, size, PATIENCE);
  }

  private static HikariDataSource pool(
      String url, String application, int size, Duration patience) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.addDataSourceProperty("ApplicationName", application);
    config.setMaximumPoolSize(size);
    // With none in reserve HikariCP 7.1 can forget a thread that waits: the connection that was
    // made
    // for it goes to another one, and no further one is made.
    config.setMinimumIdle(Math.min(size, RESERVE));
    config.setConnectionTimeout(patience.toMillis());
    return new HikariDataSource(config);
  }

  public static JdbcMessageStore.Builder store(DataSource pool) {
    return JdbcMessageStore.builder(pool);
  }

  private interface Use<T> {
    T of(Statement statement) throws SQLException;
  }

  private <T> T use(String sql, Use<T> use) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      return use.of(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  public void execute(String sql) {
    use(sql, statement -> statement.execute(sql));
  }

  /** The first column of a query's rows, as text. */
  public List<String> list(String sql) {
    return use(
        sql,
        statement -> {
          List<String> values = new ArrayList<>();
          try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
              values.add(rows.getString(1));
            }
          }
          return values;
        });
  }

  public long number(String sql) {
    return Long.parseLong(list(sql).get(0));
  }

  boolean holds(String sql) {
    return list("SELECT (" + sql + ")::text").get(0).equals("true");
  }

  public StoredRows rows() {
    return TableRows.read(pools.get(0), "outbox_");
  }

  /** Everything that helps to understand a test that waits in vain. */
  public String describe() {
    return (rowsAreFew() ? rows() : "more than " + MAX_ROWS_SHOWN + " messages")
        + "\nsessions: "
        + String.join(
            "\n  ",
            list(
                "SELECT concat_ws(' | ', application_name, state, wait_event_type, wait_event, query) FROM pg_stat_activity WHERE datname = current_database()"));
  }

  private boolean rowsAreFew() {
    return number(
            "SELECT count(*) FROM (SELECT 1 FROM outbox_message UNION ALL SELECT 1 FROM outbox_deferred LIMIT %d) some"
                .formatted(MAX_ROWS_SHOWN + 1))
        <= MAX_ROWS_SHOWN;
  }

  @Override
  public void close() {
    pools.forEach(HikariDataSource::close);
  }
}
