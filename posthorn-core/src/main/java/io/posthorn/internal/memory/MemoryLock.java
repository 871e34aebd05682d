/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one lock of the memory. Every verb is a short batch, so the duties and workers hardly meet on
 * it. Nothing of the user's runs within, so what is thrown there, for want of memory as a rule,
 * leaves the verb half done: messages may be nowhere, and lanes taken by nobody.
 */
final class MemoryLock {
  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable broken;

  /**
   * @param broken called when a verb has ended half done
   */
  MemoryLock(Runnable broken) {
    this.broken = broken;
  }

  void run(Runnable action) {
    boolean done = false;
    lock.lock();
    try {
      action.run();
      done = true;
    } finally {
      unlock(done);
    }
  }

  <T extends @Nullable Object> T get(Supplier<T> action) {
    boolean done = false;
    lock.lock();
    try {
      T result = action.get();
      done = true;
      return result;
    } finally {
      unlock(done);
    }
  }

  private void unlock(boolean done) {
    lock.unlock();
    if (!done) {
      broken.run();
    }
  }
}
