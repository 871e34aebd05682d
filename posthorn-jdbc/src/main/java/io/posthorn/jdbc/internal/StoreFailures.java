/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.StoreException;
import java.sql.SQLException;

/** Turns what drivers throw into what the engine acts on. */
final class StoreFailures {
  private final Dialect dialect;

  StoreFailures(Dialect dialect) {
    this.dialect = dialect;
  }

  StoreException of(String what, SQLException e) {
    // Batches hide the reason in the next exception.
    SQLException reason = e.getNextException() == null ? e : e.getNextException();
    String text = what + ": " + firstLine(reason) + " (SQLSTATE " + reason.getSQLState() + ")";
    return dialect.refused(reason)
        ? StoreException.refused(text, e)
        : StoreException.unavailable(text, e);
  }

  /** Only the first line: the others may show the row, and with it the payload. */
  static String firstLine(SQLException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.lines().findFirst().orElse("");
  }
}
