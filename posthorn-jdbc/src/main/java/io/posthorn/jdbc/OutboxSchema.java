/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.internal.Dialects;
import io.posthorn.jdbc.internal.Schema;
import io.posthorn.jdbc.internal.StoreFailures;
import io.posthorn.jdbc.internal.Tables;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The tables of an outbox: as SQL, checked, created and upgraded. Has the settings of the store
 * that it is asked of by {@link JdbcMessageStore#schema}. Safe to share between threads; each call
 * takes a connection of its own.
 *
 * @since 0.1
 */
public final class OutboxSchema {
  private final DataSource dataSource;
  private final Optional<Dialect> given;
  private final Tables tables;
  private final int partitions;

  OutboxSchema(DataSource dataSource, Optional<Dialect> given, Tables tables, int partitions) {
    this.dataSource = dataSource;
    this.given = given;
    this.tables = tables;
    this.partitions = partitions;
  }

  private interface Work<T> {
    T with(Connection connection, Schema schema) throws SQLException;
  }

  private <T> T call(String undone, Work<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      Dialect dialect = given.isPresent() ? given.get() : Dialects.of(connection);
      return work.with(connection, new Schema(dialect, tables));
    } catch (SQLException e) {
      throw StoreFailures.noConnection(undone, e, dataSource);
    }
  }

  /** Asks the database what it is, unless the store was given a dialect. */
  private Schema schema() {
    return given.isPresent()
        ? new Schema(given.get(), tables)
        : call("The database was not recognised", (connection, schema) -> schema);
  }

  /** The version of the tables that this Posthorn creates, and to which it upgrades. */
  public int neededVersion() {
    return schema().needed();
  }

  /**
   * The version of the tables that are there; 0 if there are none.
   *
   * @throws StoreException if the database cannot be reached
   */
  public int foundVersion() {
    return call(
        "The version of the tables was not read",
        (connection, schema) -> schema.versionFound(connection));
  }

  /**
   * The SQL that creates the tables, with the names and the number of partitions that were set. No
   * database is asked if the store was given a dialect.
   */
  public String print() {
    return schema().print(partitions);
  }

  /**
   * The SQL that upgrades tables, version by version; empty if there is nothing to upgrade.
   *
   * @param fromVersion of the tables that are there, at least 1
   */
  public String printUpgrade(int fromVersion) {
    if (fromVersion < 1) {
      throw new IllegalArgumentException(
          "fromVersion was %d but must be at least 1; print() creates the tables"
              .formatted(fromVersion));
    }
    return schema().printUpgrade(fromVersion);
  }

  /**
   * Why the tables cannot be used as they are, or the server as it is set. Empty if they can.
   *
   * @throws StoreException if the database cannot be reached
   */
  public List<String> validate() {
    return call(
        "The tables were not checked",
        (connection, schema) -> {
          List<String> problems = problemsOfServer(connection);
          return problems.isEmpty() ? schema.problems(connection) : problems;
        });
  }

  private List<String> problemsOfServer(Connection connection) throws SQLException {
    Dialect dialect = given.isPresent() ? given.get() : Dialects.of(connection);
    return dialect.problems(connection, tables.seq());
  }

  /**
   * Creates the tables, or upgrades them version by version. Several processes may do so at once,
   * while others use the tables. What an earlier call was interrupted in is completed.
   *
   * <p>If other transactions keep a lock on the tables, it tries again for about a minute.
   *
   * @return the versions that the tables have come to; none if there was nothing to do
   * @throws ConfigurationException if the server cannot keep an outbox, naming every problem
   * @throws StoreException if the database cannot be reached, or refused
   */
  public List<Integer> apply() {
    return call(
        "The tables were not upgraded",
        (connection, schema) -> {
          List<String> problems = problemsOfServer(connection);
          if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
          }
          return schema.apply(connection, partitions);
        });
  }
}
