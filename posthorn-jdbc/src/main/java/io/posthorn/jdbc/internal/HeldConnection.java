/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection that one duty keeps for itself, so that handlers that drain the pool cannot make it
 * wait. It is taken at the first use or before, replaced after a failure, and given back as it
 * came. Safe to share between threads, one at a time.
 */
final class HeldConnection {
  private static final int MAX_FAILED = 3;
  private static final int MOST_TRIES = 5;
  private static final String SESSION_NAME = "ApplicationName";

  private final String duty;
  private final ConnectionSource source;
  private final StoreFailures failures;
  private final Duration patience;
  // Fair: whoever listens for signals takes it again and again.
  private final ReentrantLock lock = new ReentrantLock(true);
  private final AtomicLong calls = new AtomicLong();
  private @Nullable String session; // guarded by lock
  private @Nullable String sessionBefore; // guarded by lock; as it came
  private @Nullable Connection connection; // guarded by lock
  private int networkTimeout; // guarded by lock; as it came
  private int isolation; // guarded by lock; as it came
  private boolean autoCommit; // guarded by lock; as it came
  private int failed; // guarded by lock; unknown failures since something worked
  private boolean closed; // guarded by lock

  /**
   * @param patience how long to wait for an answer of the database
   */
  HeldConnection(String duty, ConnectionSource source, StoreFailures failures, Duration patience) {
    this.duty = duty;
    this.source = source;
    this.failures = failures;
    this.patience = patience;
  }

  /** Takes the connection, if that was not done yet. */
  void open() {
    call(held -> true);
  }

  /** How the database's list of sessions names connections that are taken from now on. */
  void nameSession(String name) {
    lock.lock();
    try {
      session = name;
    } finally {
      lock.unlock();
    }
  }

  /** How often it was used so far. */
  long calls() {
    return calls.get();
  }

  /** Runs single statements, each its own transaction. */
  <T> T call(SqlWork<T> work) {
    lock.lock();
    try {
      calls.incrementAndGet();
      Connection open = connection();
      T result = repeated(open, work);
      failed = 0;
      return result;
    } catch (SQLException e) {
      StoreException failure = failures.of("On the connection of \"" + duty + "\"", e);
      discardIfDoubtful(failure.kind());
      throw failure;
    } finally {
      lock.unlock();
    }
  }

  /** Of those who wait for each other the database takes one back, which begins anew. */
  private <T> T repeated(Connection open, SqlWork<T> work) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        return work.with(open);
      } catch (SQLException e) {
        if (tries == MOST_TRIES || connection != open || !failures.isRepeatable(e)) {
          throw e;
        }
      }
    }
  }

  /** Runs statements if this connection is still the held one. A failure is not told. */
  void callIfHeld(Connection expected, SqlWork<?> work) {
    lock.lock();
    try {
      if (connection == expected) {
        work.with(expected);
      }
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(System.Logger.Level.DEBUG, "a connection fails", StoreFailures.scrubbed(e));
      close(true);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs statements in one transaction.
   *
   * @param limit a statement that bounds the transaction's waits
   */
  <T> T inTransaction(Optional<String> limit, SqlWork<T> work) {
    return call(transaction(limit, work));
  }

  /**
   * As {@link #inTransaction}, unless the connection is in use for longer than this.
   *
   * @return empty if it is
   */
  <T> Optional<T> inTransactionWithin(Duration wait, Optional<String> limit, SqlWork<T> work) {
    try {
      if (!lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
        return Optional.empty();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
    try {
      return Optional.of(call(transaction(limit, work)));
    } finally {
      lock.unlock();
    }
  }

  private <T> SqlWork<T> transaction(Optional<String> limit, SqlWork<T> work) {
    return held -> {
      held.setAutoCommit(false);
      boolean committed = false;
      try {
        SqlWork.run(held, limit);
        T result = work.with(held);
        held.commit();
        committed = true;
        return result;
      } finally {
        end(held, committed, limit.isPresent());
      }
    };
  }

  /** Failures here must not hide the one that may be on its way. */
  private void end(Connection held, boolean committed, boolean limited) {
    try {
      if (!committed) {
        held.rollback();
      }
      held.setAutoCommit(true);
      SqlWork.run(held, limited ? failures.noTransactionLimit() : Optional.empty());
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(System.Logger.Level.DEBUG, "roll-back failed", StoreFailures.scrubbed(e));
      close(true);
    }
  }

  /**
   * @throws StoreException of the kind {@link Kind#UNAVAILABLE}, whatever the reason
   */
  private Connection connection() {
    Connection open = connection;
    if (open != null) {
      return open;
    }
    String undone = "No connection for \"" + duty + "\"";
    if (closed) {
      throw StoreException.unavailable(undone + ": it was closed", null);
    }
    try {
      open = source.connection(undone);
      source.keep();
      connection = prepared(open);
      return open;
    } catch (SQLException e) {
      throw StoreFailures.noConnection(undone, e);
    }
  }

  private Connection prepared(Connection fresh) throws SQLException {
    boolean ready = false;
    try {
      // Before all that may be a statement, which the server may never answer.
      networkTimeout = fresh.getNetworkTimeout();
      fresh.setNetworkTimeout(Runnable::run, Math.toIntExact(patience.toMillis()));
      autoCommit = fresh.getAutoCommit();
      isolation = fresh.getTransactionIsolation();
      fresh.setAutoCommit(true);
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        fresh.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      if (session != null) {
        sessionBefore = fresh.getClientInfo(SESSION_NAME);
        fresh.setClientInfo(SESSION_NAME, session);
      }
      failed = 0;
      ready = true;
      return fresh;
    } finally {
      if (!ready) {
        connection = fresh;
        close(true);
      }
    }
  }

  /**
   * One that the database refused something is as good as before, and another might not be had
   * while handlers drain the pool. But some failures are of the session, and last as long as it.
   */
  private void discardIfDoubtful(Kind kind) {
    failed += kind == Kind.UNKNOWN ? 1 : 0;
    if (kind == Kind.UNAVAILABLE || failed >= MAX_FAILED) {
      close(true);
    }
  }

  /**
   * Gives the connection back. None is taken any more: a thread that did not end in time may still
   * be on its way here, and nobody would give its connection back. Idempotent.
   */
  void close() {
    lock.lock();
    try {
      closed = true;
      close(false);
    } finally {
      lock.unlock();
    }
  }

  private void close(boolean broken) {
    Connection open = connection;
    connection = null;
    if (open == null) {
      return;
    }
    source.giveBack();
    try (open) {
      if (broken) {
        open.abort(Runnable::run);
      } else {
        if (session != null) {
          open.setClientInfo(SESSION_NAME, sessionBefore);
        }
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
          open.setTransactionIsolation(isolation);
        }
        open.setAutoCommit(autoCommit);
        open.setNetworkTimeout(Runnable::run, networkTimeout);
      }
    } catch (SQLException e) {
      LoggerSource.of("io.posthorn.jdbc")
          .log(
              System.Logger.Level.DEBUG,
              "a connection could not be given back",
              StoreFailures.scrubbed(e));
    }
  }
}
