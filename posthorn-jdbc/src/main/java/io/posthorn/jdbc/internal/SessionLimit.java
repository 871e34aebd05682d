/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Transaction;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A limit that was set for a session, since the database has none for a transaction only. It is
 * undone after the transaction if the connection can still be used then, else within it.
 */
final class SessionLimit {
  private final Connection connection;
  private final String undo;
  private final boolean atItsEnd;

  private SessionLimit(Connection connection, String undo, boolean atItsEnd) {
    this.connection = connection;
    this.undo = undo;
    this.atItsEnd = atItsEnd;
  }

  /**
   * @param undo empty if the limit ends with the transaction by itself
   */
  static Optional<SessionLimit> toUndo(
      Optional<String> undo, Transaction transaction, Connection connection) {
    if (undo.isEmpty()) {
      return Optional.empty();
    }
    boolean atItsEnd = transaction.keepsResourcesToItsEnd();
    SessionLimit limit = new SessionLimit(connection, undo.get(), atItsEnd);
    if (atItsEnd) {
      transaction.afterCommit(limit::undoAfterTheEnd);
      transaction.afterRollback(limit::undoAfterTheEnd);
    }
    return Optional.of(limit);
  }

  /** The outcome was stored, or was not; the transaction goes on. */
  void end() throws SQLException {
    if (!atItsEnd) {
      undo();
    }
  }

  private void undo() throws SQLException {
    SqlWork.run(connection, Optional.of(undo));
  }

  /** A connection that keeps the limit would be closed by the server while it is in its pool. */
  private void undoAfterTheEnd() {
    try {
      undo();
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(
              Level.DEBUG,
              "a session keeps the limits of its transaction, and is closed",
              StoreFailures.scrubbed(e));
      abort();
    }
  }

  private void abort() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(Level.DEBUG, "a connection could not be closed", StoreFailures.scrubbed(e));
    }
  }
}
