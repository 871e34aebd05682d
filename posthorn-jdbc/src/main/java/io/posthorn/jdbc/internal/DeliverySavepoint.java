/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.MessageStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Stands at the beginning of a handler's transaction, and goes with it. */
final class DeliverySavepoint implements MessageStore.TransactionMark {
  private static final String NAME = "posthorn_delivery";

  /** Why a transaction that has ended takes no outcome. */
  static final String ENDED =
      "Outcome not stored with the handler's work: its transaction has ended before. The database rolls it back at a deadlock, so let the handler throw what the database throws; statements such as CREATE TABLE commit it, so leave them out";

  private final Connection connection;
  private final StoreFailures failures;

  private DeliverySavepoint(Connection connection, StoreFailures failures) {
    this.connection = connection;
    this.failures = failures;
  }

  static DeliverySavepoint set(Connection connection, StoreFailures failures) {
    DeliverySavepoint savepoint = new DeliverySavepoint(connection, failures);
    try {
      savepoint.execute("SAVEPOINT " + NAME);
    } catch (SQLException e) {
      throw failures.of("The handler's transaction has not begun", e);
    }
    return savepoint;
  }

  @Override
  public void requireOpen() {
    try {
      execute("RELEASE SAVEPOINT " + NAME);
    } catch (SQLException e) {
      throw failures.of(ENDED, e);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
