/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The idempotency keys of an in-memory store. Safe to share between threads. */
final class InMemoryKeys {
  /** As long as a database waits for a lock before it gives up. */
  private static final long LOCK_TIMEOUT = TimeUnit.SECONDS.toNanos(30);

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Map<String, Claim> claims = new HashMap<>(); // guarded by lock

  /**
   * A key that is taken.
   *
   * @param holder the transaction that took it, or null if that was committed
   */
  private record Claim(UUID messageId, Instant at, @Nullable Transaction holder) {}

  /** What one transaction changed: which key, and what stood there before. */
  private record Change(String key, @Nullable Claim before) {}

  InMemoryKeys(Clock clock) {
    this.clock = clock;
  }

  Optional<UUID> claim(Transaction transaction, String key, UUID messageId, Duration retention) {
    lock.lock();
    try {
      awaitOthers(transaction, key);
      Claim found = claims.get(key);
      if (found != null && !found.at.plus(retention).isBefore(clock.instant())) {
        return Optional.of(found.messageId);
      }
      claims.put(key, new Claim(messageId, clock.instant(), transaction));
      transaction
          .attachment(this, Holder.class, () -> new Holder(transaction))
          .changes
          .add(new Change(key, found));
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private void awaitOthers(Transaction transaction, String key) {
    long left = LOCK_TIMEOUT;
    while (heldByAnother(transaction, claims.get(key))) {
      if (left <= 0) {
        throw StoreException.unavailable("the idempotency key is held by another", null);
      }
      try {
        left = ended.awaitNanos(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw StoreException.unavailable("interrupted while waiting for an idempotency key", e);
      }
    }
  }

  private static boolean heldByAnother(Transaction transaction, @Nullable Claim claim) {
    return claim != null && claim.holder != null && claim.holder != transaction;
  }

  int purge(Duration olderThan, int limit) {
    lock.lock();
    try {
      Instant before = clock.instant().minus(olderThan);
      List<String> old =
          claims.entrySet().stream()
              .filter(row -> row.getValue().holder == null && row.getValue().at.isBefore(before))
              .map(Map.Entry::getKey)
              .limit(limit)
              .toList();
      old.forEach(claims::remove);
      return old.size();
    } finally {
      lock.unlock();
    }
  }

  /** What one transaction has taken; savepoints as in a database. */
  private final class Holder implements Transaction.SavepointListener {
    final List<Change> changes = new ArrayList<>(); // guarded by lock
    private final Map<Object, Integer> savepoints = new HashMap<>();

    Holder(Transaction transaction) {
      transaction.onSavepoint(this);
      transaction.afterCommit(() -> end(true));
      transaction.afterRollback(() -> end(false));
    }

    private void end(boolean commit) {
      lock.lock();
      try {
        if (commit) {
          changes.forEach(
              change ->
                  claims.computeIfPresent(
                      change.key, (key, claim) -> new Claim(claim.messageId, claim.at, null)));
        } else {
          undo(0);
        }
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void savepointSet(Object savepoint) {
      savepoints.put(savepoint, changes.size());
    }

    @Override
    public void rolledBackTo(Object savepoint) {
      lock.lock();
      try {
        undo(savepoints.getOrDefault(savepoint, 0));
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private void undo(int from) {
      for (int i = changes.size() - 1; i >= from; i--) {
        Change change = changes.remove(i);
        if (change.before == null) {
          claims.remove(change.key);
        } else {
          claims.put(change.key, change.before);
        }
      }
    }
  }
}
