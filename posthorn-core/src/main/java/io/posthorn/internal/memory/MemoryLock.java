/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The one lock of the memory. Every verb is a short batch, so the duties and workers hardly meet on
 * it. Nothing of the user's runs within.
 */
final class MemoryLock {
  private final ReentrantLock lock = new ReentrantLock();

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  void run(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  <T> T get(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
