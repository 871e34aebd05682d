/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.PublishException;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Finds the transaction that the caller is in. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Transactions {
  /**
   * The active transaction of the calling thread, on the outbox's data source.
   *
   * @throws PublishException if there is none; the message says what to do
   */
  Transaction current();

  /**
   * The same for those who do without a transaction, or begin one: empty if the calling thread has
   * none.
   *
   * @throws PublishException if there is one that cannot be used: it is read-only, has ended, or is
   *     on another data source
   */
  default Optional<Transaction> active() {
    return Optional.of(current());
  }

  /** What {@link #problemWith} says of a data source that is another one. */
  String DIFFERENT_DATA_SOURCES =
      "the tables and the transactions are on different data sources, so that messages would not be recorded in the caller's transaction; pass the same data source to both";

  /**
   * Why messages in a store on this resource would not be part of these transactions; empty if they
   * would be.
   *
   * @param resource a {@code javax.sql.DataSource} for JDBC stores
   */
  default Optional<String> problemWith(Object resource) {
    return Optional.empty();
  }

  /** Whether the calling thread is in a transaction, whatever its state. Changes nothing. */
  default boolean isThreadInTransaction() {
    return false;
  }

  /**
   * Rolls back the transaction of the calling thread and unbinds it: a handler has begun it and
   * never ended it, and what others do on this thread would join it.
   */
  default void abandon() {}

  /** Whether {@link #inTransaction} works. */
  default boolean canBegin() {
    return false;
  }

  /**
   * Runs work in a new transaction of the calling thread on the outbox's data source, which is then
   * its {@link #current} one, and commits it. Whatever the work throws rolls back and is thrown.
   * What the commit throws is thrown too, as it is; the transaction may have committed then.
   *
   * @throws StoreException of the kind {@link StoreException.Kind#UNAVAILABLE} if it could not be
   *     begun
   * @throws UnsupportedOperationException if these transactions cannot be begun from here
   */
  default <T> T inTransaction(Callable<T> work) throws Exception {
    throw new UnsupportedOperationException(getClass().getName() + " can't begin transactions");
  }
}
