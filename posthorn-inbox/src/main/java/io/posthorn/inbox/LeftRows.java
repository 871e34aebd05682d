/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transaction.SavepointListener;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Rows of failed messages that could not be taken back at once, because the database had given the
 * transaction up. If the caller goes on, from a savepoint of its own, they are taken back before
 * the next message is recorded, so that no row of a later handling is met; otherwise before the
 * commit, which fails if that does. One thread only.
 */
final class LeftRows implements SavepointListener {
  private final Transaction transaction;
  private final List<Runnable> removals = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> sizes = new IdentityHashMap<>(); // by savepoint

  private LeftRows(Transaction transaction) {
    this.transaction = transaction;
  }

  static LeftRows in(Transaction transaction, Object inbox) {
    return transaction.attachment(
        List.of(LeftRows.class, inbox),
        LeftRows.class,
        () -> {
          LeftRows left = new LeftRows(transaction);
          transaction.onSavepoint(left);
          return left;
        });
  }

  /** For what must not be committed. */
  static Runnable refuseCommit(RuntimeException failure) {
    return () -> {
      throw failure;
    };
  }

  /**
   * Takes rows back now, or else later.
   *
   * @param failure of the message; gets to know why it can't be done now
   */
  void unless(Runnable takenBackNow, Runnable later, Throwable failure) {
    try {
      takenBackNow.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      later(later);
    }
  }

  /** Before the next message is recorded, or else before the commit. */
  void later(Runnable removal) {
    removals.add(removal);
    transaction.beforeCommit(this::remove);
  }

  void remove() {
    removals.forEach(Runnable::run);
    removals.clear();
  }

  @Override
  public void savepointSet(Object savepoint) {
    sizes.put(savepoint, removals.size());
  }

  /** What was left since is gone. One that is not known was set before the first message. */
  @Override
  public void rolledBackTo(Object savepoint) {
    int size = sizes.getOrDefault(savepoint, 0);
    removals.subList(Math.min(size, removals.size()), removals.size()).clear();
  }
}
