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
import java.util.ArrayList;
import java.util.List;

/** Which seqs an INSERT into the ready table has drawn, where its rows draw them. */
final class DrawnSeqs {
  private final Dialect dialect;

  /** A row that was inserted. */
  record Drawn(int partition, long seq) {}

  DrawnSeqs(Dialect dialect) {
    this.dialect = dialect;
  }

  /** An INSERT of rows, as {@link #by} takes it. */
  String told(String insert) {
    return dialect
        .returnsDrawn()
        .map(returns -> insert.replaceFirst(" VALUES ", " " + returns + " VALUES "))
        .orElse(insert);
  }

  /**
   * Executes the INSERT, all parameters of which are bound.
   *
   * @param partitions those of its rows, in their order
   */
  List<Drawn> by(PreparedStatement insert, int[] partitions) throws SQLException {
    List<Drawn> drawn = new ArrayList<>(partitions.length);
    if (dialect.returnsDrawn().isPresent()) {
      try (ResultSet rows = insert.executeQuery()) {
        while (rows.next()) {
          drawn.add(new Drawn(rows.getInt(1), rows.getLong(2)));
        }
      }
      return drawn;
    }
    insert.executeUpdate();
    Connection connection = insert.getConnection();
    try (PreparedStatement ask = connection.prepareStatement(dialect.drawn());
        ResultSet row = ask.executeQuery()) {
      row.next();
      for (int i = 0; i < partitions.length; i++) {
        drawn.add(new Drawn(partitions[i], row.getLong(1) + i * row.getLong(2)));
      }
    }
    return drawn;
  }
}
