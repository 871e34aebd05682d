/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * How deep the calling thread is in transactions that are nested without savepoints, as some JTA
 * transaction managers can. Spring's callbacks and connections are those of the outermost one, so
 * that what is published in an inner one would outlive its roll-back. One thread only.
 */
final class Nesting implements TransactionSynchronization {
  /** Counts; for every manager of such transactions, more than once does no harm. */
  static final TransactionExecutionListener WATCH = new Watch();

  private int depth;

  private Nesting() {}

  static boolean isActive() {
    return TransactionSynchronizationManager.hasResource(Nesting.class);
  }

  private static void begun() {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      return; // nothing can be published
    }
    if (!isActive()) {
      Nesting nesting = new Nesting();
      TransactionSynchronizationManager.registerSynchronization(nesting);
      TransactionSynchronizationManager.bindResource(Nesting.class, nesting);
    }
    current().depth++;
  }

  private static void ended() {
    if (isActive() && --current().depth == 0) {
      TransactionSynchronizationManager.unbindResource(Nesting.class);
    }
  }

  private static Nesting current() {
    return (Nesting)
        requireNonNull(TransactionSynchronizationManager.getResource(Nesting.class), "nesting");
  }

  /** A transaction of its own is not nested. */
  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResourceIfPossible(Nesting.class);
  }

  @Override
  public void resume() {
    if (depth > 0) {
      TransactionSynchronizationManager.bindResource(Nesting.class, this);
    }
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(Nesting.class);
  }

  private static final class Watch implements TransactionExecutionListener {
    @Override
    public void afterBegin(TransactionExecution execution, @Nullable Throwable failure) {
      if (isNestedWithoutSavepoint(execution) && failure == null) {
        begun();
      }
    }

    @Override
    public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
      if (isNestedWithoutSavepoint(execution)) {
        ended();
      }
    }

    @Override
    public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
      if (isNestedWithoutSavepoint(execution)) {
        ended();
      }
    }

    private static boolean isNestedWithoutSavepoint(TransactionExecution execution) {
      return execution.isNested() && execution.isNewTransaction();
    }
  }
}
