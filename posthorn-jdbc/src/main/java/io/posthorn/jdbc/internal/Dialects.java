/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.MariaDbDialect;
import io.posthorn.jdbc.MySqlDialect;
import io.posthorn.jdbc.OracleDialect;
import io.posthorn.jdbc.PostgresDialect;
import io.posthorn.jdbc.SqlServerDialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;

/** The dialects that come with this module. */
public final class Dialects {
  private static final List<Dialect> SHIPPED =
      List.of(
          new PostgresDialect(),
          new MySqlDialect(),
          new MariaDbDialect(),
          new H2Dialect(),
          new OracleDialect(),
          new SqlServerDialect());

  private Dialects() {}

  /**
   * @throws ConfigurationException if none speaks to this database
   */
  public static Dialect of(Connection connection) {
    try {
      DatabaseMetaData database = connection.getMetaData();
      String product = database.getDatabaseProductName();
      return SHIPPED.stream()
          .filter(dialect -> dialect.speaks(product))
          .findFirst()
          .orElseThrow(() -> unknown(product, database));
    } catch (SQLException e) {
      throw StoreFailures.noConnection("The name of the database was not read", e);
    }
  }

  private static ConfigurationException unknown(String product, DatabaseMetaData database) {
    String version;
    try {
      version = database.getDatabaseProductVersion();
    } catch (SQLException e) {
      version = "of unknown version";
    }
    return new ConfigurationException(
        List.of(
            "no dialect for \"%s %s\". Supported: PostgreSQL, MySQL, MariaDB, H2, Oracle, SQL Server. Pass JdbcMessageStore.builder(…).dialect(…) to supply one"
                .formatted(product, version)));
  }
}
