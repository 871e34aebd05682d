/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Two transactions of InnoDB that wait for each other. The one with fewer changes is rolled back.
 */
final class Deadlock {
  private static final int DEADLOCK = 1213;

  /** More changes than a handler makes. */
  private static final int MANY = 50;

  private Deadlock() {}

  /**
   * Lets the database roll back this transaction, as a handler would not notice that swallows the
   * error.
   */
  static void lose(Connection loser) throws SQLException {
    String name = UUID.randomUUID().toString();
    try (Connection winner = DriverManager.getConnection(loser.getMetaData().getURL())) {
      insert(winner, name, 2);
      winner.setAutoCommit(false);
      insert(winner, "more " + name, MANY);
      update(winner, name + 0);
      update(loser, name + 1);
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(
              () -> {
                try {
                  update(winner, name + 1);
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      try {
        update(loser, name + 0);
        throw new IllegalStateException("it was not in a deadlock");
      } catch (SQLException e) {
        if (e.getErrorCode() != DEADLOCK) {
          throw e;
        }
        // Swallowed, as careless handlers do.
      }
      waiting.join();
      winner.rollback();
    }
  }

  private static void insert(Connection connection, String name, int rows) throws SQLException {
    String values =
        IntStream.range(0, rows)
            .mapToObj(row -> "('" + name + row + "', 0)")
            .collect(Collectors.joining(", "));
    execute(connection, "INSERT INTO chaos_fault (name, number) VALUES " + values);
  }

  private static void update(Connection connection, String name) throws SQLException {
    execute(connection, "UPDATE chaos_fault SET number = number + 1 WHERE name = '" + name + "'");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
