/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Transactions whose manager sets no savepoints for others; the program itself may. */
record WithoutSavepoints(JdbcTransactions transactions) implements Transactions {
  @Override
  public Transaction current() {
    return new Plain(transactions.current());
  }

  @Override
  public Optional<Transaction> active() {
    return transactions.active().map(Plain::new);
  }

  @Override
  public Optional<String> problemWith(Object resource) {
    return transactions.problemWith(resource);
  }

  @Override
  public boolean canBegin() {
    return true;
  }

  @Override
  public <T> T inTransaction(Callable<T> work) throws Exception {
    return transactions.inTransaction(work);
  }

  private record Plain(Transaction transaction) implements Transaction {
    @Override
    public boolean acceptsWrites() {
      return transaction.acceptsWrites();
    }

    @Override
    public <T> T unwrap(Class<T> resource) {
      return transaction.unwrap(resource);
    }

    @Override
    public <T> T attachment(Object key, Class<T> type, Supplier<T> create) {
      return transaction.attachment(key, type, create);
    }

    @Override
    public void beforeCommit(Runnable action) {
      transaction.beforeCommit(action);
    }

    @Override
    public void afterCommit(Runnable action) {
      transaction.afterCommit(action);
    }

    @Override
    public void afterRollback(Runnable action) {
      transaction.afterRollback(action);
    }

    @Override
    public void onSavepoint(SavepointListener listener) {
      transaction.onSavepoint(listener);
    }
  }
}
