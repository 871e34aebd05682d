/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transaction;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StoredRows;
import java.util.function.Consumer;

/**
 * A store with empty tables, and what a contract needs around it. It has at least eight partitions.
 * Used by one thread at a time, unless a method says else.
 *
 * @since 0.1
 */
public interface StoreUnderTest extends AutoCloseable {
  /** May be shared between threads. */
  MessageStore store();

  /** The clock that the store takes for its database's. */
  MutableClock clock();

  /** What is committed now, read past the store where it can be. */
  StoredRows rows();

  /**
   * Runs an action in a transaction of its own, also inside another one, and commits. What the
   * action throws rolls back and comes through. May be called by several threads.
   */
  void inTransaction(Consumer<Transaction> action);

  /** Sets a savepoint of the transaction, runs an action, and rolls back to the savepoint. */
  void takeBack(Transaction transaction, Runnable action);

  /** Called after each test. */
  @Override
  void close();
}
