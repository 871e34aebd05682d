/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A savepoint of a JDBC transaction; callbacks are told as of one by {@code NESTED}. */
record SpringSavepoint(Connection connection, Savepoint savepoint)
    implements Transaction.Savepoint {

  static SpringSavepoint set(Connection connection) {
    try {
      Savepoint savepoint = connection.setSavepoint();
      TransactionSynchronizationManager.getSynchronizations()
          .forEach(callback -> callback.savepoint(savepoint));
      return new SpringSavepoint(connection, savepoint);
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
    TransactionSynchronizationManager.getSynchronizations()
        .forEach(callback -> callback.savepointRollback(savepoint));
  }

  @Override
  public void release() {
    try {
      connection.releaseSavepoint(savepoint);
    } catch (SQLException e) {
      throw failed("A savepoint was not released", e);
    }
  }

  private static StoreException failed(String what, SQLException e) {
    return new StoreException(
        Kind.UNKNOWN, what + ", the transaction must roll back: " + e.getMessage(), e);
  }
}
