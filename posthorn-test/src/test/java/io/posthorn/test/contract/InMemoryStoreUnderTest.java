/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transaction;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StoredRows;
import java.util.function.Consumer;

/** An in-memory store of its own for each test. */
final class InMemoryStoreUnderTest implements StoreUnderTest {
  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store = new InMemoryStore(clock, 64);

  @Override
  public MessageStore store() {
    return store;
  }

  @Override
  public MutableClock clock() {
    return clock;
  }

  @Override
  public StoredRows rows() {
    return store.rows();
  }

  @Override
  public void inTransaction(Consumer<Transaction> action) {
    InMemoryTransactions transactions = new InMemoryTransactions();
    transactions.run(() -> action.accept(transactions.current()));
  }

  @Override
  public void takeBack(Transaction transaction, Runnable action) {
    InMemoryTransactions.Open open = transaction.unwrap(InMemoryTransactions.Open.class);
    Object savepoint = open.savepoint();
    action.run();
    open.rollbackTo(savepoint);
  }

  @Override
  public void close() {}
}
