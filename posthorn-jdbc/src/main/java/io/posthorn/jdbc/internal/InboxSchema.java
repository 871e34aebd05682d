/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Creates the inbox's table from the shipped script, and checks the one that is there. */
final class InboxSchema {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.inbox");
  private static final Set<String> KEY = Set.of("consumer", "message_id");

  private final Dialect dialect;
  private final Script script;
  private final Tables tables;

  InboxSchema(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.script =
        new Script(dialect, "io/posthorn/jdbc/inbox/" + dialect.name() + "/V1__create_inbox.sql");
    this.tables = tables;
  }

  void create(Connection connection) throws SQLException {
    script.run(connection, tables::inInboxScript, this::isThere);
  }

  private boolean isThere(Connection connection) throws SQLException {
    return new Catalogue(connection).hasTable(tables.message());
  }

  /**
   * @throws ConfigurationException if the table is missing or is another one
   */
  void check(Connection connection) throws SQLException {
    String table = tables.message();
    if (!isThere(connection)) {
      throw new ConfigurationException(
          List.of(
              "the inbox's table is missing: there is no \"%s\". Run the script \"%s\" from the posthorn-jdbc jar, or use createTables(true)"
                  .formatted(table, script.path())));
    }
    List<String> problems = new ArrayList<>();
    Schema.checkColumns(connection, table, "consumer, message_id, received_at", problems);
    // Without it nothing would ever be a duplicate.
    if (problems.isEmpty() && !new Catalogue(connection).primaryKey(table).equals(KEY)) {
      problems.add(
          "table \"%s\" does not fit: its primary key is not (consumer, message_id). Compare it with the shipped script"
              .formatted(table));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  /** One that nobody else has, if the database does not tell or the user may not ask. */
  String identity(Connection connection) throws SQLException {
    Optional<String> query = dialect.identity(tables.message());
    if (query.isPresent()) {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(query.get())) {
        row.next();
        return row.getString(1);
      } catch (SQLException e) {
        LOGGER.log(
            Level.INFO,
            "the inbox's cache is not shared with other processes: the database does not tell what it is ("
                + StoreFailures.firstLine(e)
                + ")");
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
    return UUID.randomUUID().toString();
  }
}
