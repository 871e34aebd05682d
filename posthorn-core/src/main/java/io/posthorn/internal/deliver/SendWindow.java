/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds what a handler has in flight to each destination, by number and by bytes, so that
 * destinations that do not answer leave room in the relay's window for the others. A destination
 * may have as much in flight as is still free: one that is silent ends up with half of the window,
 * {@code k} of them with {@code k / (k + 1)}. One message may always be in flight. Safe to share
 * between threads.
 */
final class SendWindow {
  private static final int ROOMY_PART = 8;

  private final int maxMessages;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private final Map<String, Load> byDestination = new HashMap<>(); // guarded by lock
  private final Load total = new Load(); // guarded by lock

  /** What is in flight. */
  private static final class Load {
    private int messages;
    private long bytes;

    private void add(int moreMessages, long moreBytes) {
      messages += moreMessages;
      bytes += moreBytes;
    }
  }

  SendWindow(int maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /** Takes room for a message; false, and nothing is taken, if there is none. */
  boolean reserve(String destination, long bytes) {
    lock.lock();
    try {
      if (!hasRoom(destination, bytes)) {
        return false;
      }
      byDestination.computeIfAbsent(destination, any -> new Load()).add(1, bytes);
      total.add(1, bytes);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoom(String destination, long bytes) {
    Load load = byDestination.get(destination);
    return load == null
        || (load.messages < maxMessages - total.messages
            && load.bytes + bytes <= maxBytes - total.bytes);
  }

  /** Gives back what messages had that are no longer in flight, or never were. */
  void release(String destination, int messages, long bytes) {
    lock.lock();
    try {
      Load load = byDestination.get(destination);
      if (load == null || load.messages < messages) {
        throw new IllegalStateException(
            messages + " messages to \"" + destination + "\" were not in flight");
      }
      load.add(-messages, -bytes);
      total.add(-messages, -bytes);
      if (load.messages == 0) {
        byDestination.remove(destination);
      }
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until there is room for many messages, or the time is over: whoever is woken for a single
   * one does the work of a batch for it.
   */
  void awaitRoom(String destination, long bytes, long nanos) throws InterruptedException {
    long left = nanos;
    lock.lock();
    try {
      while (left > 0 && !isRoomy(destination, bytes)) {
        left = released.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isRoomy(String destination, long bytes) {
    Load load = byDestination.get(destination);
    return load == null
        || (load.messages + maxMessages / ROOMY_PART <= maxMessages - total.messages
            && load.bytes + Math.max(bytes, maxBytes / ROOMY_PART) <= maxBytes - total.bytes);
  }

  /** How many messages are in flight to a destination. */
  int messages(String destination) {
    lock.lock();
    try {
      Load load = byDestination.get(destination);
      return load == null ? 0 : load.messages;
    } finally {
      lock.unlock();
    }
  }
}
