/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.test.InMemoryTransactions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** Transactions of one thread that plays many: while it plays another one, its own is aside. */
final class PlayedTransactions implements Transactions {
  private final Deque<InMemoryTransactions> threads = new ArrayDeque<>();
  private final BooleanSupplier answerLost;

  /**
   * @param answerLost asked after each commit of a handler's transaction
   */
  PlayedTransactions(BooleanSupplier answerLost) {
    this.answerLost = answerLost;
    threads.push(new InMemoryTransactions());
  }

  /** Does what another thread does. */
  void elsewhere(Runnable action) {
    threads.push(new InMemoryTransactions());
    try {
      action.run();
    } finally {
      threads.pop();
    }
  }

  /** Runs an action in a transaction of its own. */
  void run(Runnable action) {
    threads.element().run(action);
  }

  @Override
  public Transaction current() {
    return threads.element().current();
  }

  @Override
  public boolean canBegin() {
    return true;
  }

  @Override
  public <T> T inTransaction(Callable<T> work) throws Exception {
    T result = threads.element().inTransaction(work);
    if (answerLost.getAsBoolean()) {
      throw StoreException.unavailable("the answer to the commit was lost", null);
    }
    return result;
  }
}
