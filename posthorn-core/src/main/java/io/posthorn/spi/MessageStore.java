/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps messages until they are delivered. Safe to share between threads.
 *
 * @since 0.1
 */
public interface MessageStore {
  /**
   * Creates the tables if that was asked for, and checks that they fit.
   *
   * @return the number of partitions, which is fixed with the tables
   * @throws ConfigurationException if the tables are missing, outdated or of another database
   * @throws StoreException if the store cannot be reached
   */
  int open();

  /** Says why these transactions cannot carry messages of this store, or nothing if they can. */
  default Optional<String> problemWith(Transactions transactions) {
    return Optional.empty();
  }

  /**
   * Writes messages in the caller's transaction, in one statement as far as the database can,
   * drawing a seq for each in this order. Delayed ones go to the deferred table, for no handler in
   * particular ({@link DeferredMessage#UNDECIDED}).
   *
   * @throws StoreException if they could not be written
   */
  void append(Transaction transaction, List<NewMessage> messages);

  /**
   * Writes and deletes messages in the caller's transaction: a reader of the database's log sees
   * them, no relay does. There are no delayed ones among them.
   */
  void appendForLogOnly(Transaction transaction, List<NewMessage> messages);

  /**
   * Takes an idempotency key for a message, in the caller's transaction: a roll-back, also one to a
   * savepoint, frees it. If another transaction has taken it and is still under way, its end is
   * waited for. A key that was taken longer ago than the retention is free.
   *
   * @return the id of the message that has the key already, in this transaction or in one that was
   *     committed; empty if it was free
   * @throws StoreException if that could not be found out
   */
  Optional<UUID> claim(Transaction transaction, String key, UUID messageId, Duration retention);

  /**
   * Deletes up to this many idempotency keys that were taken longer ago than this. Several
   * processes may do this at once; none waits for another.
   *
   * @return how many were deleted
   */
  int purgeIdempotency(Duration olderThan, int limit);

  /**
   * Deletes up to this many ready messages older than the age.
   *
   * @return how many were deleted
   */
  int purgeReady(Duration olderThan, int limit);

  /**
   * Deletes up to this many rows of the history that were delivered longer ago.
   *
   * @return how many were deleted
   */
  int purgeHistory(Duration olderThan, int limit);

  /** What people ask of the store. */
  AdminStore admin();

  /**
   * A relay's access, with connections of its own.
   *
   * @param lease how long a heartbeat is good for; no call may block for longer
   */
  RelayStore relay(Duration lease);

  /**
   * Marks the beginning of a handler's transaction, where the database may end it unnoticed.
   *
   * @throws StoreException if it could not be marked
   */
  default TransactionMark mark(Transaction transaction) {
    return () -> {};
  }

  /** Where a handler's transaction began. */
  @FunctionalInterface
  interface TransactionMark {
    /**
     * @throws StoreException if the transaction that was marked is no longer the current one:
     *     nothing may be committed then, since what the handler did before is not part of it
     */
    void requireOpen();
  }

  /**
   * Stores one outcome in a handler's transaction, with a shared lock on the relay's instance row.
   *
   * @param settlement of a single row
   * @param limit how long the transaction, from now on, may wait for a lock or leave the database
   *     waiting; shorter than the lease, so that a relay that is frozen in it can be expelled
   */
  Settled settle(Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit);

  /** What came of storing an outcome in a handler's transaction. */
  enum Settled {
    /** It is stored when the transaction commits. */
    DONE,
    /** There is no such row: an earlier transaction has stored it, or it was taken away. */
    GONE,
    /** The relay has been expelled. */
    EXPELLED
  }

  /**
   * What a failure of work in a transaction on this store says, whoever threw or wrapped it: the
   * store itself, the handler, the commit, a framework.
   */
  StoreException.Kind kindOf(Throwable failure);

  /**
   * A way to wake relays of other processes, if the database has one, for a process that only
   * publishes. One with a relay has {@link RelayStore#wakeChannel}.
   */
  Optional<WakeChannel> wakeChannel();
}
