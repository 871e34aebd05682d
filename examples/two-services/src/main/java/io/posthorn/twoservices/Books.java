/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What both databases say, side by side. */
record Books(
    Map<Long, Integer> ordered,
    Map<Long, Integer> taken,
    Map<String, Long> orderedByItem,
    Map<String, Long> takenByItem,
    long received) {

  static Books read(String ordersUrl, String warehouseUrl) throws SQLException {
    return new Books(
        counts(ordersUrl, "SELECT id FROM orders"),
        counts(warehouseUrl, "SELECT order_id FROM taken_orders"),
        sums(ordersUrl, "SELECT item, sum(amount) FROM orders GROUP BY item"),
        sums(warehouseUrl, "SELECT item, taken FROM stock"),
        count(warehouseUrl, "SELECT coalesce(sum(records), 0) FROM received"));
  }

  /** How many orders there are. */
  static long orders(String ordersUrl) throws SQLException {
    return count(ordersUrl, "SELECT count(*) FROM orders");
  }

  /** How often the warehouse has taken something. */
  static long taken(String warehouseUrl) throws SQLException {
    return count(warehouseUrl, "SELECT count(*) FROM taken_orders");
  }

  /**
   * Orders that were placed and not taken, taken and not placed, or taken twice; and other sums.
   */
  List<String> differences() {
    List<String> found = new ArrayList<>();
    ordered.keySet().stream()
        .filter(id -> !taken.containsKey(id))
        .forEach(id -> found.add("order " + id + " was not taken"));
    taken.forEach(
        (id, times) -> {
          if (!ordered.containsKey(id)) {
            found.add("order " + id + " was taken but never placed");
          } else if (times != 1) {
            found.add("order " + id + " was taken " + times + " times");
          }
        });
    if (!orderedByItem.equals(takenByItem)) {
      found.add(
          "the sums by item differ: " + orderedByItem + " ordered, " + takenByItem + " taken");
    }
    return found;
  }

  private static Map<Long, Integer> counts(String url, String query) throws SQLException {
    Map<Long, Integer> counts = new HashMap<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        counts.merge(rows.getLong(1), 1, Integer::sum);
      }
    }
    return counts;
  }

  private static Map<String, Long> sums(String url, String query) throws SQLException {
    Map<String, Long> sums = new HashMap<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        sums.put(rows.getString(1), rows.getLong(2));
      }
    }
    return sums;
  }

  private static long count(String url, String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
