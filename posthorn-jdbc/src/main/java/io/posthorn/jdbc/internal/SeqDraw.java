/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Numbers for rows of other tables than the ready one. Where there is a sequence, an expression
 * draws them; else rows of the ready table do, which are taken back at once: nobody sees them, and
 * the database's log does not tell of them.
 */
final class SeqDraw {
  private final Dialect dialect;
  private final Tables tables;

  SeqDraw(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** Whether numbers are to be drawn before the statement that needs them. */
  boolean isNeeded() {
    return dialect.drawsByRows();
  }

  /** An expression for a number: a parameter, if they are drawn before. */
  String value() {
    return isNeeded() ? "?" : dialect.nextValue(tables.seq());
  }

  /** Binds a number, if it was drawn before; returns the index of the next parameter. */
  int bind(PreparedStatement statement, int parameter, long number) throws SQLException {
    if (!isNeeded()) {
      return parameter;
    }
    statement.setLong(parameter, number);
    return parameter + 1;
  }

  /** Draws numbers, in a transaction. */
  long[] next(Connection connection, int count) throws SQLException {
    String row = "(0, '0123456789abcdef', '', '', %1$s, %1$s)".formatted(dialect.now());
    String rows = row + (", " + row).repeat(count - 1);
    long[] numbers = new long[count];
    try (Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT posthorn_draw");
      statement.executeUpdate(
          "INSERT INTO %s (partition_no, id, type, content_type, occurred_at, created_at) VALUES %s"
              .formatted(tables.message(), rows));
      try (ResultSet drawn = statement.executeQuery(dialect.drawn())) {
        drawn.next();
        for (int i = 0; i < count; i++) {
          numbers[i] = drawn.getLong(1) + i * drawn.getLong(2);
        }
      }
      statement.execute("ROLLBACK TO SAVEPOINT posthorn_draw");
    }
    return numbers;
  }
}
