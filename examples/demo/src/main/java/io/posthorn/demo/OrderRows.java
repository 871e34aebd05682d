/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The order service's own tables, in one transaction. */
final class OrderRows {
  private static final String LOCK_CUSTOMER =
      "SELECT orders FROM demo_customer WHERE id = ? FOR UPDATE";
  private static final String UPDATE_CUSTOMER = "UPDATE demo_customer SET orders = ? WHERE id = ?";
  private static final String INSERT_ORDER =
      "INSERT INTO demo_order (customer, number, cents) VALUES (?, ?, ?)";

  private final Connection connection;

  OrderRows(Connection connection) {
    this.connection = connection;
  }

  /** Returns how many orders the customer has placed; nobody else can place one until the end. */
  long lockCustomer(String customer) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(LOCK_CUSTOMER)) {
      lock.setString(1, customer);
      try (ResultSet row = lock.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  void updateCustomer(String customer, long orders) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(UPDATE_CUSTOMER)) {
      update.setLong(1, orders);
      update.setString(2, customer);
      update.executeUpdate();
    }
  }

  void insert(OrderPlaced order) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_ORDER)) {
      insert.setString(1, order.customer());
      insert.setLong(2, order.number());
      insert.setInt(3, order.cents());
      insert.executeUpdate();
    }
  }
}
