/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import static io.posthorn.quickstart.QuickStart.insert;

import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.quickstart.QuickStart.Order;
import java.sql.Connection;
import java.sql.SQLException;

/** The README's other way to have a transaction. */
final class TransactionByHand {
  private TransactionByHand() {}

  static void place(Order order, JdbcTransactions transactions, Outbox outbox) throws SQLException {
    // docs:begin
    try (Connection connection = transactions.begin()) {
      insert(connection, order);
      outbox.publish("order-placed", order);
      connection.commit();
    }
    // docs:end
  }
}
