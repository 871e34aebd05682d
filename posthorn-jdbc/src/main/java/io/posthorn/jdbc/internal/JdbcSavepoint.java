/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

/** A savepoint that was not set by the program itself. One thread only. */
record JdbcSavepoint(JdbcTransaction transaction, Connection connection, Savepoint savepoint)
    implements Transaction.Savepoint {

  static JdbcSavepoint set(JdbcTransaction transaction, Connection connection) {
    try {
      Savepoint savepoint = connection.setSavepoint();
      transaction.tellSavepoint(listener -> listener.savepointSet(savepoint));
      return new JdbcSavepoint(transaction, connection, savepoint);
    } catch (SQLException e) {
      throw failed("No savepoint set", e);
    }
  }

  @Override
  public void rollBack() {
    try {
      connection.rollback(savepoint);
    } catch (SQLException e) {
      throw failed("Not rolled back to a savepoint", e);
    }
    transaction.tellSavepoint(listener -> listener.rolledBackTo(savepoint));
  }

  @Override
  public void release() {
    try {
      connection.releaseSavepoint(savepoint);
    } catch (SQLException e) {
      throw failed("A savepoint was not released", e);
    }
    transaction.tellSavepoint(listener -> listener.savepointReleased(savepoint));
  }

  private static StoreException failed(String what, SQLException e) {
    return new StoreException(
        Kind.UNKNOWN,
        what + ", the transaction must roll back: " + StoreFailures.firstLine(e),
        StoreFailures.scrubbed(e));
  }
}
