/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.PublishException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.TransactionCallbacks;
import io.posthorn.spi.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of an {@link InMemoryStore}, bound to the calling thread. Safe to share between
 * threads.
 *
 * @since 0.1
 */
public final class InMemoryTransactions implements Transactions {
  // Not static: each outbox of a test has transactions of its own.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable Open> bound = new ThreadLocal<>();

  /** Begins a transaction of this thread. */
  public Open begin() {
    if (bound.get() != null) {
      throw new IllegalStateException("this thread already has a transaction");
    }
    Open open = new Open();
    bound.set(open);
    return open;
  }

  /** Runs an action in a transaction and commits; an exception rolls back. */
  public void run(Runnable action) {
    try (Open transaction = begin()) {
      action.run();
      transaction.commit();
    }
  }

  @Override
  public boolean canBegin() {
    return true;
  }

  @Override
  public <T> T inTransaction(Callable<T> work) throws Exception {
    try (Open transaction = begin()) {
      T result = work.call();
      transaction.commit();
      return result;
    }
  }

  @Override
  public Transaction current() {
    Open open = bound.get();
    if (open == null) {
      throw new PublishException(
          "No message published: this thread has no active transaction. Publish inside InMemoryTransactions.run(…)");
    }
    return open;
  }

  /** A transaction. Close without commit rolls back. One thread only. */
  public final class Open extends TransactionCallbacks implements AutoCloseable {
    private final List<Runnable> writes = new ArrayList<>();

    private Open() {}

    /** Keeps a change that becomes visible with the commit. */
    void write(Runnable change) {
      writes.add(change);
    }

    public void commit() {
      prepareCommit();
      writes.forEach(Runnable::run);
      committed();
      bound.remove();
    }

    public void rollback() {
      bound.remove();
      rolledBack();
    }

    /** Sets a savepoint. */
    public Object savepoint() {
      Savepoint savepoint = new Savepoint(writes.size(), new Object());
      tellSavepoint(listener -> listener.savepointSet(savepoint));
      return savepoint;
    }

    /** Takes back what was done after the savepoint. */
    public void rollbackTo(Object savepoint) {
      writes.subList(((Savepoint) savepoint).writes, writes.size()).clear();
      tellSavepoint(listener -> listener.rolledBackTo(savepoint));
    }

    /** Nothing can be rolled back to the savepoint any more. */
    public void release(Object savepoint) {
      tellSavepoint(listener -> listener.savepointReleased(savepoint));
    }

    private record Savepoint(int writes, Object identity) {}

    @Override
    public void close() {
      if (acceptsWrites()) {
        rollback();
      }
    }

    @Override
    public <T> T unwrap(Class<T> resource) {
      return resource.cast(this);
    }
  }
}
