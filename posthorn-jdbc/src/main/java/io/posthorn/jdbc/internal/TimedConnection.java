/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A connection whose statements wait no longer than their transaction may take.
 *
 * @param seconds 0: as long as it takes
 */
record TimedConnection(Connection connection, int seconds) {
  static TimedConnection of(Transaction transaction) {
    Duration left = transaction.timeLeft().orElse(Duration.ZERO);
    // Drivers count in seconds, and take 0 for no limit.
    int seconds = Math.toIntExact(left.plusMillis(999).toSeconds());
    return new TimedConnection(transaction.unwrap(Connection.class), seconds);
  }

  static TimedConnection unlimited(Connection connection) {
    return new TimedConnection(connection, 0);
  }

  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    if (seconds > 0) {
      statement.setQueryTimeout(seconds);
    }
    return statement;
  }
}
