/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts threads that have waited for a client for too long: the channel that such a thread
 * reads from or writes to is then closed. Safe to share between threads.
 */
final class Watchdog implements AutoCloseable {
  private static final ThreadLocal<@Nullable Guard> CURRENT = new ThreadLocal<>();

  private final ScheduledThreadPoolExecutor timer;

  Watchdog() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "posthorn-http-watchdog");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Runs a task on this thread, which may wait for a client only as long as its guard lets it. */
  void watch(Runnable task, Duration limit) {
    Guard guard = new Guard(Thread.currentThread());
    CURRENT.set(guard);
    guard.within(limit);
    try {
      task.run();
    } finally {
      CURRENT.remove();
      guard.end();
    }
  }

  /** The guard of the task that this thread runs. */
  static Guard current() {
    return requireNonNull(CURRENT.get(), "not a thread of this server");
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** Watches one thread. */
  final class Guard {
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Future<?> pending; // guarded by lock, as all below
    private boolean interrupted;
    private boolean ended;

    private Guard(Thread thread) {
      this.thread = thread;
    }

    /** From now on, the thread is interrupted after this time. */
    void within(Duration limit) {
      lock.lock();
      try {
        rest();
        if (!ended && !timer.isShutdown()) {
          pending = timer.schedule(this::interrupt, limit.toNanos(), TimeUnit.NANOSECONDS);
        }
      } finally {
        lock.unlock();
      }
    }

    /** From now on, the thread may take its time. */
    void rest() {
      lock.lock();
      try {
        if (pending != null) {
          pending.cancel(false);
          pending = null;
        }
      } finally {
        lock.unlock();
      }
    }

    private void interrupt() {
      lock.lock();
      try {
        if (pending != null) {
          pending = null;
          interrupted = true;
          thread.interrupt();
        }
      } finally {
        lock.unlock();
      }
    }

    /** An interrupt must not reach the next task of the thread. */
    private void end() {
      lock.lock();
      try {
        rest();
        ended = true;
        if (interrupted) {
          Thread.interrupted();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
