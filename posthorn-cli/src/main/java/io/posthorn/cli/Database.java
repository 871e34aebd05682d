/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.StoreException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A database, by its URL. Connects when it is first needed. */
public final class Database implements AutoCloseable {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  private final HikariDataSource connections;
  private final JdbcMessageStore store;
  private final JdbcTransactions transactions;

  /**
   * Where it is, and who asks.
   *
   * @param poolSize a relay keeps three connections
   */
  public record Address(
      String url, @Nullable String user, @Nullable String password, int poolSize) {
    /** Without the password. */
    @Override
    public String toString() {
      return url + (user == null ? "" : " as " + user);
    }
  }

  private Database(HikariDataSource connections, Consumer<JdbcMessageStore.Builder> settings) {
    JdbcMessageStore.Builder builder = JdbcMessageStore.builder(connections);
    settings.accept(builder);
    this.connections = connections;
    this.store = builder.build();
    this.transactions = new JdbcTransactions(connections);
  }

  /**
   * @throws ConfigurationException if no driver knows the URL, or a setting is wrong
   * @throws StoreException if there is no connection within some seconds
   */
  public static Database open(Address address, Consumer<JdbcMessageStore.Builder> settings) {
    checkDriver(address.url());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(address.url());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setPoolName("posthorn");
    config.setMaximumPoolSize(address.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT_LIMIT.toMillis());
    config.setInitializationFailTimeout(-1); // it is asked below
    HikariDataSource connections = new HikariDataSource(config);
    try {
      Database database = new Database(connections, settings);
      connections.getConnection().close();
      return database;
    } catch (SQLException e) {
      connections.close();
      throw unreachable(address, e);
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  private static StoreException unreachable(Address address, SQLException failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return new StoreException(
        StoreException.Kind.UNAVAILABLE,
        "no connection to %s: %s".formatted(address, cause.getMessage()),
        failure);
  }

  private static void checkDriver(String url) {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new ConfigurationException(
          List.of(
              "no JDBC driver knows \"%s\"; PostgreSQL, MariaDB and H2 are built in, the jar of another driver belongs into the directory lib beside posthorn's, or into POSTHORN_LIB"
                  .formatted(url)));
    }
  }

  public HikariDataSource connections() {
    return connections;
  }

  public JdbcMessageStore store() {
    return store;
  }

  public JdbcTransactions transactions() {
    return transactions;
  }

  @Override
  public void close() {
    connections.close();
  }
}
