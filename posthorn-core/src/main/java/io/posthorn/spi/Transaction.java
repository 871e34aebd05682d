/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The caller's transaction. Used by the thread that runs it only.
 *
 * @since 0.1
 */
public interface Transaction {
  /**
   * False once the commit or roll-back has begun, also while callbacks after the commit still run
   * in its scope.
   */
  boolean acceptsWrites();

  /**
   * What the store writes with: a {@code java.sql.Connection} for JDBC stores.
   *
   * @throws IllegalArgumentException if it has nothing of this class
   */
  <T> T unwrap(Class<T> resource);

  /**
   * The object kept with this transaction under the key, made at the first call. Gone when the
   * transaction ends.
   */
  <T> T attachment(Object key, Class<T> type, Supplier<T> create);

  /**
   * Runs an action just before the commit, after those registered earlier; also if it is registered
   * while such actions run. If it throws, the transaction rolls back.
   */
  void beforeCommit(Runnable action);

  /** Runs an action after the commit. What it throws is logged and goes no further. */
  void afterCommit(Runnable action);

  /** Runs an action after a roll-back. What it throws is logged and goes no further. */
  void afterRollback(Runnable action);

  /**
   * Sets a savepoint, of which listeners are told. Empty if there are none, or if a roll-back to
   * one would not take back everything: changes that a persistence context has yet to write, for
   * example.
   */
  default Optional<Savepoint> setSavepoint() {
    return Optional.empty();
  }

  /**
   * Whether what {@link #unwrap} returns is still this transaction's when actions after the commit
   * or roll-back run, so that settings of a session can be restored there.
   */
  default boolean keepsResourcesToItsEnd() {
    return false;
  }

  /**
   * How long the transaction may still take; empty if it has no timeout. Throws what the
   * transaction's manager throws if its time is over.
   */
  default Optional<Duration> timeLeft() {
    return Optional.empty();
  }

  /**
   * A savepoint of {@link #setSavepoint()}. Each method throws a {@link StoreException} on failure.
   */
  interface Savepoint {
    /**
     * Takes back what was written since, and makes a transaction that a database gave up usable.
     */
    void rollBack();

    /** Keeps what was written since; there is no going back any more. */
    void release();
  }

  /** Tells of savepoints from now on. */
  void onSavepoint(SavepointListener listener);

  /** Learns what happens to savepoints. Each method is called after the database has done it. */
  interface SavepointListener {
    void savepointSet(Object savepoint);

    /**
     * All that was written after the savepoint was set has been taken back; the savepoint itself
     * still stands.
     */
    void rolledBackTo(Object savepoint);

    /**
     * Nothing can be rolled back to the savepoint any more, nor to those that were set after it.
     * Not every transaction integration tells; then they count as standing.
     */
    default void savepointReleased(Object savepoint) {}
  }
}
