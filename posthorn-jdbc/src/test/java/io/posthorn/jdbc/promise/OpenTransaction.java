/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A transaction of another session, past all pools, that stays open until it is committed or
 * closed. It can be prepared, and then belongs to no session.
 */
final class OpenTransaction implements AutoCloseable {
  private static final String NAME = "'open_transaction_of_a_test'";

  private final Connection connection;
  private boolean prepared;

  private OpenTransaction(Connection connection) {
    this.connection = connection;
  }

  /** Begins one in the database of a test, and executes a statement in it. */
  static OpenTransaction in(TestDatabase database, String sql) throws SQLException {
    return at(database.url(), sql);
  }

  /** The same in any database. */
  static OpenTransaction at(String url, String sql) throws SQLException {
    OpenTransaction transaction = new OpenTransaction(DriverManager.getConnection(url));
    transaction.execute("BEGIN");
    transaction.execute(sql);
    return transaction;
  }

  /** Makes it outlive its session, as the first half of a two-phase commit does. */
  OpenTransaction prepare() throws SQLException {
    execute("PREPARE TRANSACTION " + NAME);
    prepared = true;
    return this;
  }

  void commit() throws SQLException {
    execute(prepared ? "COMMIT PREPARED " + NAME : "COMMIT");
    prepared = false;
  }

  void rollback() throws SQLException {
    execute(prepared ? "ROLLBACK PREPARED " + NAME : "ROLLBACK");
    prepared = false;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      rollback(); // harmless if it has ended
    }
  }
}
