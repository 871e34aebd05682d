/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What is done after the commit of the caller's transaction, without what a roll-back to a
 * savepoint has taken back. There is one for each transaction, however many messages it handles:
 * each savepoint costs as much as there are synchronizations. One thread only.
 */
final class CallersCommit implements TransactionSynchronization {
  private final List<Runnable> actions = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> sizes = new IdentityHashMap<>(); // by savepoint

  private CallersCommit() {}

  /**
   * Runs an action after the commit, in which channels that take part in the transaction have yet
   * to commit. What it throws comes out of the commit.
   */
  static void then(Runnable action) {
    CallersCommit bound =
        (CallersCommit) TransactionSynchronizationManager.getResource(CallersCommit.class);
    if (bound == null) {
      bound = new CallersCommit();
      bound.resume();
      TransactionSynchronizationManager.registerSynchronization(bound);
    }
    bound.actions.add(action);
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResourceIfPossible(CallersCommit.class);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(CallersCommit.class, this);
  }

  @Override
  public void savepoint(Object savepoint) {
    sizes.put(savepoint, actions.size());
  }

  /** One that is not known was set before the first action. */
  @Override
  public void savepointRollback(Object savepoint) {
    int size = sizes.getOrDefault(savepoint, 0);
    actions.subList(Math.min(size, actions.size()), actions.size()).clear();
  }

  /** Other callbacks may begin transactions, which are others. */
  @Override
  public void beforeCompletion() {
    suspend();
  }

  /** A failure must not keep the others from being done. */
  @Override
  public void afterCommit() {
    RuntimeException failure = null;
    for (Runnable action : actions) {
      failure = run(action, failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable RuntimeException run(
      Runnable action, @Nullable RuntimeException earlier) {
    try {
      action.run();
      return earlier;
    } catch (RuntimeException e) {
      if (earlier == null) {
        return e;
      }
      earlier.addSuppressed(e);
      return earlier;
    }
  }
}
