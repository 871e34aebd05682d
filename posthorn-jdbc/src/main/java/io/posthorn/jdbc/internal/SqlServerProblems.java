/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Why an outbox cannot be kept in a database of SQL Server, as it is set. */
public final class SqlServerProblems {
  private static final int SQL_SERVER_2019 = 15;
  private static final int XACT_ABORT = 16_384;

  /** Azure SQL has versions of its own, and no old ones. */
  private static final List<Integer> AZURE = List.of(5, 8);

  private static final String SETTINGS =
      """
      SELECT CONVERT(int, SERVERPROPERTY('ProductMajorVersion')), CONVERT(int, SERVERPROPERTY('EngineEdition')),
             CONVERT(int, d.is_read_committed_snapshot_on), @@OPTIONS, d.name
        FROM sys.databases d WHERE d.database_id = DB_ID()
      """;

  /** Of tables that are an outbox's. */
  private static final String COLLATIONS =
      """
      SELECT OBJECT_NAME(c.object_id), c.name, c.collation_name FROM sys.columns c
       WHERE c.name IN ('message_key', 'handler') AND c.collation_name NOT LIKE '%BIN2'
         AND EXISTS (SELECT 1 FROM sys.columns p WHERE p.object_id = c.object_id AND p.name = 'partition_no')
         AND EXISTS (SELECT 1 FROM sys.columns s WHERE s.object_id = c.object_id AND s.name = 'seq')
         AND EXISTS (SELECT 1 FROM sys.tables t WHERE t.object_id = c.object_id)
      """;

  private SqlServerProblems() {}

  /** Empty if it can. */
  public static List<String> of(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery(SETTINGS)) {
        row.next();
        addSettings(row, problems);
      }
      try (ResultSet rows = statement.executeQuery(COLLATIONS)) {
        while (rows.next()) {
          problems.add(
              "column \"%s\" of \"%s\" has the collation %s but must have one that ends with BIN2: two keys could be taken for one. Compare it with the shipped script"
                  .formatted(rows.getString(2), rows.getString(1), rows.getString(3)));
        }
      }
    }
    return problems;
  }

  private static void addSettings(ResultSet row, List<String> problems) throws SQLException {
    if (row.getInt(1) < SQL_SERVER_2019 && !AZURE.contains(row.getInt(2))) {
      problems.add(
          "the server has version %d but must be SQL Server 2019 (15) or newer, or Azure SQL"
              .formatted(row.getInt(1)));
    }
    if (row.getInt(3) == 0) {
      problems.add(
          "READ_COMMITTED_SNAPSHOT is off, so reads would wait for each publisher whose transaction is open. Run ALTER DATABASE [%s] SET READ_COMMITTED_SNAPSHOT ON while nobody else is connected"
              .formatted(row.getString(5)));
    }
    if ((row.getInt(4) & XACT_ABORT) != 0) {
      problems.add(
          "XACT_ABORT is on, so an idempotency key that exists already would end the publisher's transaction. Leave it off for the sessions of the outbox (sp_configure 'user options', or what the pool runs when it opens a connection)");
    }
  }
}
