/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PublishException;
import io.posthorn.spi.StoreException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

/**
 * The JTA transactions that Spring's manager drives or takes part in; loaded only where there is
 * JTA. Safe to share between threads.
 */
final class JtaTransactions {
  private final JtaTransactionManager manager;

  private JtaTransactions(JtaTransactionManager manager) {
    this.manager = manager;
  }

  /** Null if the manager is not one of JTA transactions. */
  static @Nullable JtaTransactions of(PlatformTransactionManager manager) {
    return manager instanceof JtaTransactionManager jta ? new JtaTransactions(jta) : null;
  }

  /** Whether the calling thread is in one that has not begun to end. */
  boolean areActive() {
    return status() == Status.STATUS_ACTIVE || areMarkedForRollback();
  }

  boolean areMarkedForRollback() {
    return status() == Status.STATUS_MARKED_ROLLBACK;
  }

  void rollBack() {
    UserTransaction transaction = manager.getUserTransaction();
    try {
      if (transaction != null) {
        transaction.rollback();
      }
    } catch (SystemException e) {
      throw StoreException.unavailable("The transaction was not rolled back", e);
    }
  }

  private int status() {
    UserTransaction transaction = manager.getUserTransaction();
    try {
      return transaction == null ? Status.STATUS_NO_TRANSACTION : transaction.getStatus();
    } catch (SystemException e) {
      throw failed(e);
    }
  }

  /**
   * Runs an action when the commit begins. Spring has no such moment if the transaction was begun
   * outside of it.
   */
  void beforeCommit(Runnable action) {
    if (status() != Status.STATUS_ACTIVE) {
      return; // there will be no commit
    }
    Synchronization callback = new BeforeCommit(action);
    TransactionSynchronizationRegistry registry = manager.getTransactionSynchronizationRegistry();
    TransactionManager transactions = manager.getTransactionManager();
    try {
      if (registry != null) {
        registry.registerInterposedSynchronization(callback);
      } else if (transactions != null) {
        transactions.getTransaction().registerSynchronization(callback);
      }
    } catch (SystemException | RollbackException e) {
      throw failed(e);
    }
  }

  private static PublishException failed(Exception cause) {
    return new PublishException(
        "No message published: the JTA transaction manager failed: " + cause.getMessage(), cause);
  }

  private record BeforeCommit(Runnable action) implements Synchronization {
    @Override
    public void beforeCompletion() {
      action.run();
    }

    @Override
    public void afterCompletion(int status) {}
  }
}
