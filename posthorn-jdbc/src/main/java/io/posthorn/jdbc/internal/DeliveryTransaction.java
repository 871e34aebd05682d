/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A handler's transaction, known by its number: another one has another. */
final class DeliveryTransaction implements MessageStore.TransactionMark {
  private final Connection connection;
  private final String numberQuery;
  private final StoreFailures failures;
  private final long number;

  private DeliveryTransaction(Connection connection, String numberQuery, StoreFailures failures)
      throws SQLException {
    this.connection = connection;
    this.numberQuery = numberQuery;
    this.failures = failures;
    this.number = number();
  }

  static DeliveryTransaction begun(
      Connection connection, String numberQuery, StoreFailures failures) {
    try {
      return new DeliveryTransaction(connection, numberQuery, failures);
    } catch (SQLException e) {
      throw failures.of("The handler's transaction has not begun", e);
    }
  }

  private long number() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(numberQuery)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void requireOpen() {
    try {
      if (number() != number) {
        throw new StoreException(Kind.UNKNOWN, DeliverySavepoint.ENDED, null);
      }
    } catch (SQLException e) {
      throw failures.of(DeliverySavepoint.ENDED, e);
    }
  }
}
