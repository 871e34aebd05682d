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

/** Why an outbox cannot be kept on an Oracle server, as it is set. */
public final class OracleProblems {
  private static final int MIN_VERSION = 23;

  /** Both can be read by everybody. */
  private static final String SETTINGS =
      """
      SELECT parameter, value FROM nls_session_parameters WHERE parameter = 'NLS_COMP'
      UNION ALL SELECT parameter, value FROM nls_database_parameters WHERE parameter = 'NLS_CHARACTERSET'
      """;

  private OracleProblems() {}

  /** Empty if it can. */
  public static List<String> of(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    DatabaseMetaData database = connection.getMetaData();
    if (database.getDatabaseMajorVersion() < MIN_VERSION) {
      problems.add(
          "the server is %s but must be Oracle 23 or newer: older ones take 1,000 values in a list at the most, and the script uses IF NOT EXISTS"
              .formatted(database.getDatabaseProductVersion().lines().findFirst().orElse("")));
      return problems;
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SETTINGS)) {
      while (rows.next()) {
        String value = rows.getString(2);
        if (rows.getString(1).equals("NLS_COMP") && !value.equals("BINARY")) {
          problems.add(
              "NLS_COMP was %s but must be BINARY: two keys could be taken for one. Set it for the sessions of the outbox, as by ALTER SESSION SET NLS_COMP = BINARY when the pool opens a connection"
                  .formatted(value));
        } else if (rows.getString(1).equals("NLS_CHARACTERSET") && !value.equals("AL32UTF8")) {
          problems.add(
              "the database's character set was %s but must be AL32UTF8: others cannot store every text"
                  .formatted(value));
        }
      }
    }
    return problems;
  }
}
