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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts threads that have waited for a client for too long: the channel that such a thread
 * reads from or writes to is then closed. Safe to share between threads.
 */
final class Watchdog implements AutoCloseable {
  private static final ThreadLocal<@Nullable Guard> CURRENT = new ThreadLocal<>();

  /** A brief wait is cut off after this time if others wait for a thread. */
  private static final Duration GRACE = Duration.ofMillis(500);

  private final Duration brief;
  private final BooleanSupplier othersWait;
  private final ScheduledThreadPoolExecutor timer;

  /**
   * @param brief how long a client may take for what honest ones do at once
   * @param othersWait whether all threads are taken
   */
  Watchdog(Duration brief, BooleanSupplier othersWait) {
    this.brief = brief;
    this.othersWait = othersWait;
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
  void watch(Runnable task) {
    Guard guard = new Guard(Thread.currentThread());
    CURRENT.set(guard);
    guard.briefly();
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
    private int phase;
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
        schedule(limit, Duration.ZERO);
      } finally {
        lock.unlock();
      }
    }

    /** From now on, the thread is interrupted soon, and sooner when others wait for a thread. */
    void briefly() {
      lock.lock();
      try {
        rest();
        Duration first = brief.compareTo(GRACE) < 0 ? brief : GRACE;
        schedule(first, brief.minus(first));
      } finally {
        lock.unlock();
      }
    }

    /**
     * @param left how long the thread may go on after that time, unless others wait
     */
    private void schedule(Duration time, Duration left) {
      if (!ended && !timer.isShutdown()) {
        int now = phase;
        pending = timer.schedule(() -> expire(now, left), time.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    /** From now on, the thread may take its time. */
    void rest() {
      lock.lock();
      try {
        phase++;
        if (pending != null) {
          pending.cancel(false);
          pending = null;
        }
      } finally {
        lock.unlock();
      }
    }

    private void expire(int ofPhase, Duration left) {
      lock.lock();
      try {
        if (ofPhase != phase) {
          return; // it has come to its end just now
        }
        if (left.isZero() || othersWait.getAsBoolean()) {
          pending = null;
          interrupted = true;
          thread.interrupt();
        } else {
          Duration next = left.compareTo(GRACE) < 0 ? left : GRACE;
          schedule(next, left.minus(next));
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
