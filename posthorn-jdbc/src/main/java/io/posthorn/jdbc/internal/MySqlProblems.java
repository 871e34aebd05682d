/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Why an outbox cannot be kept on a MySQL or MariaDB server, as it is set. */
public final class MySqlProblems {
  private static final int MIN_MYSQL = 8_00;
  private static final int MIN_MARIADB = 10_06;

  private MySqlProblems() {}

  /** Empty if it can. */
  public static List<String> of(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    DatabaseMetaData database = connection.getMetaData();
    String product = database.getDatabaseProductName();
    int version = database.getDatabaseMajorVersion() * 100 + database.getDatabaseMinorVersion();
    boolean mariaDb = product.equals("MariaDB");
    if (version < (mariaDb ? MIN_MARIADB : MIN_MYSQL)) {
      problems.add(
          "the server is %s %s but must be MySQL 8.0 or MariaDB 10.6 or newer: older ones cannot pass over locked rows"
              .formatted(product, database.getDatabaseProductVersion()));
      return problems;
    }
    Map<String, String> settings = settings(connection);
    if (!isOff(settings.get("log_bin")) && "STATEMENT".equals(settings.get("binlog_format"))) {
      problems.add(
          "binlog_format was STATEMENT but must be ROW or MIXED: statements that draw numbers come out different on a replica");
    }
    if (!isOff(settings.get("tx_read_only")) || !isOff(settings.get("transaction_read_only"))) {
      problems.add(
          "transaction_read_only was ON for the sessions of the data source but must be OFF: nothing could be published. Check the server's setting, the pool's read-only flag and SQL that it runs on new connections");
    }
    String characters = settings.get("character_set_client");
    if (!"utf8mb4".equals(characters)) {
      problems.add(
          "character_set_client was %s for the sessions of the data source but must be utf8mb4: text would be changed without an error. Remove characterEncoding from the JDBC URL, and SET NAMES from SQL that the pool runs on new connections"
              .formatted(characters));
    }
    return problems;
  }

  private static boolean isOff(@Nullable String value) {
    return value == null || value.equals("OFF") || value.equals("0");
  }

  private static Map<String, String> settings(Connection connection) throws SQLException {
    Map<String, String> settings = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'tx_read_only', 'transaction_read_only', 'character_set_client')")) {
      while (rows.next()) {
        settings.put(rows.getString(1), rows.getString(2));
      }
    }
    return settings;
  }
}
