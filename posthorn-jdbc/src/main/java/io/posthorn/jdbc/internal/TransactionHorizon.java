/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.ReadResult.Mark;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a database without arrays tells of running transactions. It is asked before the rows: what
 * has ended by then is visible to their queries.
 */
final class TransactionHorizon {
  private final String query;

  /** What was told: all transactions with lower numbers than the oldest have ended. */
  record Told(long oldest, Mark mark) {}

  TransactionHorizon(String query) {
    this.query = query;
  }

  Told ask(Connection connection, ReadRequest request) throws SQLException {
    try (PreparedStatement ask = connection.prepareStatement(query)) {
      ask.setBoolean(1, request.ask() != Ask.NOTHING);
      try (ResultSet row = ask.executeQuery()) {
        row.next();
        return new Told(row.getLong(1), new Mark(row.getLong(2), row.getLong(3)));
      }
    }
  }
}
