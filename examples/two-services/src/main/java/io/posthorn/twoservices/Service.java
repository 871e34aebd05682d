/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What both services need. */
final class Service {
  private Service() {}

  static HikariDataSource connect(String jdbcUrl, int connections) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(jdbcUrl);
    pool.setMaximumPoolSize(connections);
    return new HikariDataSource(pool);
  }

  static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns when whoever started this process has closed its input, or is gone. */
  static void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said, but the end.
      }
    } catch (IOException e) {
      // That is an end too.
    }
  }
}
