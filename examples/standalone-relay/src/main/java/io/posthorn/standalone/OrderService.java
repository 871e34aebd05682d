/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.standalone;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.PreparedStatement;
import java.sql.Statement;
import javax.sql.DataSource;

/** Takes orders, and publishes each in its own transaction. It has no relay. */
public final class OrderService implements AutoCloseable {
  private final JdbcTransactions transactions;
  private final Posthorn posthorn;

  /** Creates its table, and those of the outbox, if they are missing. */
  public OrderService(DataSource dataSource) throws Exception {
    transactions = new JdbcTransactions(dataSource);
    posthorn =
        Posthorn.publishOnly(
                JdbcMessageStore.builder(dataSource).createTables(true).build(), transactions)
            .build();
    transactions.run(
        connection -> {
          try (Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE IF NOT EXISTS orders (customer varchar(50), number int)");
          }
        });
    posthorn.start();
  }

  /** Stores an order of a customer, and publishes it. */
  public void place(String customer, int number) throws Exception {
    transactions.run(
        connection -> {
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
            insert.setString(1, customer);
            insert.setInt(2, number);
            insert.executeUpdate();
          }
          posthorn
              .outbox()
              .publish(
                  Message.of("order-placed")
                      .key(customer)
                      .payload(Integer.toString(number))
                      .build());
        });
  }

  @Override
  public void close() {
    posthorn.close();
  }
}
