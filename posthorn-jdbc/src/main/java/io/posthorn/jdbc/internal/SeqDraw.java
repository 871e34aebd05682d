/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Numbers for rows of other tables than the ready one. Where there is a sequence, an expression
 * draws them; else rows of the ready table do, which are taken back at once: nobody sees them, and
 * the database's log does not tell of them.
 */
final class SeqDraw {
  private static final String SAVEPOINT = "posthorn_draw";

  /** Sixteen bytes; those who draw by rows write them so. */
  private static final String ID = "0x30313233343536373839616263646566";

  private final Dialect dialect;
  private final Tables tables;
  private final DrawnSeqs drawn;

  SeqDraw(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
    this.drawn = new DrawnSeqs(dialect);
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
    String row = "(0, %1$s, '', '', %2$s, %2$s)".formatted(ID, dialect.now());
    String rows = row + (", " + row).repeat(count - 1);
    String insert =
        "INSERT INTO %s (partition_no, id, type, content_type, occurred_at, created_at) VALUES %s"
            .formatted(tables.message(), rows);
    try (Statement statement = connection.createStatement();
        PreparedStatement draw = connection.prepareStatement(drawn.told(insert))) {
      statement.execute(dialect.savepoint(SAVEPOINT));
      long[] numbers =
          drawn.by(draw, new int[count]).stream().mapToLong(DrawnSeqs.Drawn::seq).toArray();
      statement.execute(dialect.rollBackTo(SAVEPOINT));
      return numbers;
    }
  }
}
