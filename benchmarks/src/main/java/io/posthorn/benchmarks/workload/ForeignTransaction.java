/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A transaction that has written to a table that has nothing to do with messages, and does not end
 * until it is closed.
 */
final class ForeignTransaction implements AutoCloseable {
  private static final String ROLL_BACK = "ROLLBACK";

  private final Connection connection;
  private final String ending;

  private ForeignTransaction(Connection connection, String ending) {
    this.connection = connection;
    this.ending = ending;
  }

  /** One whose session waits, as that of a forgotten client does. */
  static ForeignTransaction open(Stage stage) throws SQLException {
    Connection connection = begin(stage);
    return new ForeignTransaction(connection, ROLL_BACK);
  }

  /**
   * One that was prepared for a two-phase commit, and has no session.
   *
   * @throws SQLException if the server allows none (max_prepared_transactions)
   */
  static ForeignTransaction prepared(Stage stage) throws SQLException {
    Connection connection = begin(stage);
    String name = "'posthorn_bench_" + connection.getCatalog() + "'";
    execute(connection, "PREPARE TRANSACTION " + name);
    return new ForeignTransaction(connection, "ROLLBACK PREPARED " + name);
  }

  private static Connection begin(Stage stage) throws SQLException {
    stage.execute("CREATE TABLE IF NOT EXISTS foreign_work (note text NOT NULL)");
    Connection connection = stage.connect();
    execute(connection, "BEGIN");
    execute(connection, "INSERT INTO foreign_work VALUES ('written and not committed')");
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** For a progress line. */
  @Override
  public String toString() {
    return ending.equals(ROLL_BACK) ? "a transaction" : "a prepared transaction";
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      execute(connection, ending);
    }
  }
}
