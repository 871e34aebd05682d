/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * A transaction that user code began by hand and never ended. Nobody has its status any more, so
 * that its manager cannot end it: what is bound to the thread is.
 */
final class LeftoverTransaction {
  private LeftoverTransaction() {}

  static void rollBack() {
    List<TransactionSynchronization> callbacks =
        TransactionSynchronizationManager.isSynchronizationActive()
            ? TransactionSynchronizationManager.getSynchronizations()
            : List.of();
    TransactionSynchronizationUtils.triggerBeforeCompletion();
    try {
      Set<Object> keys = Set.copyOf(TransactionSynchronizationManager.getResourceMap().keySet());
      keys.stream()
          .map(TransactionSynchronizationManager::unbindResourceIfPossible)
          .forEach(LeftoverTransaction::end);
    } finally {
      TransactionSynchronizationManager.clear();
      TransactionSynchronizationUtils.invokeAfterCompletion(
          callbacks, TransactionSynchronization.STATUS_ROLLED_BACK);
    }
  }

  private static void end(@Nullable Object resource) {
    if (SpringTransaction.WITH_JPA && resource != null) {
      PersistenceContexts.rollBack(resource);
    }
    // Others are lent by a persistence context, which gives them back.
    if (resource instanceof ConnectionHolder holder
        && holder.getConnectionHandle() instanceof SimpleConnectionHandle) {
      rollBack(holder);
    }
  }

  private static void rollBack(ConnectionHolder holder) {
    try (Connection connection = holder.getConnection()) {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw StoreException.unavailable("The transaction was not rolled back", e);
    }
  }
}
