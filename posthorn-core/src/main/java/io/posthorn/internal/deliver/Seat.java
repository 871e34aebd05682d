/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.spi.Ticker;
import java.util.concurrent.locks.ReentrantLock;

/** A worker, and since when it has been inside a handler. */
final class Seat {
  private final Thread thread = Thread.currentThread();
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean inside;
  private volatile long since;
  private boolean overdue; // guarded by lock
  private boolean givenUp; // changed by the worker's thread, guarded by lock
  final HandlerLanes handler;

  Seat(HandlerLanes handler, Ticker ticker) {
    this.handler = handler;
    this.ticker = ticker;
  }

  void enter() {
    enter(ticker.nanos());
  }

  /**
   * The handler is about to be called.
   *
   * @param now of the ticker, for who has just asked it
   */
  void enter(long now) {
    since = now;
    inside = true;
  }

  /**
   * The handler has returned.
   *
   * @return whether it was interrupted because it took too long
   */
  boolean leave() {
    lock.lock();
    try {
      inside = false;
      Thread.interrupted(); // by or for the handler, which has returned; none of the next message's
      boolean wasOverdue = overdue;
      overdue = false;
      givenUp |= wasOverdue;
      return wasOverdue;
    } finally {
      lock.unlock();
    }
  }

  /** Whether another worker stands in for this one. */
  boolean givenUp() {
    return givenUp;
  }

  /**
   * Interrupts the handler if it has been at work for longer; once.
   *
   * @param first called before the first interrupt: whoever sees the handler react finds it done. A
   *     worker that was given up may hang once more, in a fallback or a callback
   */
  void interruptIfOver(long limitNanos, Runnable first) {
    if (!inside || ticker.nanos() - since < limitNanos) {
      return;
    }
    lock.lock();
    try {
      if (!inside || overdue || ticker.nanos() - since < limitNanos) {
        return;
      }
      overdue = true;
      if (!givenUp) {
        first.run();
      }
      thread.interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the handler, if the worker is inside one: its thread may be another's by now. */
  void interrupt() {
    lock.lock();
    try {
      if (inside) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }
}
