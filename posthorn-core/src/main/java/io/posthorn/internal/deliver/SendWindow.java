/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what the handlers of a relay have in flight to each destination, by number and by bytes,
 * so that destinations that do not answer leave room in the relay's window for the others. A
 * destination may have as much in flight as is still free: one that is silent ends up with half of
 * the window, {@code k} of them with {@code k / (k + 1)}. One message may always be in flight. Safe
 * to share between threads.
 */
final class SendWindow {
  private static final int ROOMY_PART = 8;

  private final int maxMessages;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
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

  /** For one handler, whose destinations have nothing to do with those of others. */
  Destinations destinations() {
    return new Destinations();
  }

  /** What is in flight to the destinations of one handler. */
  final class Destinations {
    private final Map<String, Load> byName = new HashMap<>(); // guarded by lock

    private Destinations() {}

    /** Takes room for a message; false, and nothing is taken, if there is none. */
    boolean reserve(String destination, long bytes) {
      lock.lock();
      try {
        Load load = byName.get(destination);
        if (load == null) {
          load = new Load();
          byName.put(destination, load);
        } else if (!hasRoom(load, 0, 0)) {
          return false;
        }
        load.add(1, bytes);
        total.add(1, bytes);
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** Gives back what messages had that are no longer in flight, or never were. */
    void release(String destination, int messages, long bytes) {
      lock.lock();
      try {
        Load load = byName.get(destination);
        if (load == null || load.messages < messages) {
          throw new IllegalStateException(
              messages + " messages to \"" + destination + "\" were not in flight");
        }
        load.add(-messages, -bytes);
        total.add(-messages, -bytes);
        if (load.messages == 0) {
          byName.remove(destination);
        }
        released.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /**
     * Waits until there is room for many messages, or the time is over: whoever is woken for a
     * single one does the work of a batch for it.
     */
    void awaitRoom(String destination, long nanos) throws InterruptedException {
      long left = nanos;
      lock.lock();
      try {
        while (left > 0 && !isRoomy(byName.get(destination))) {
          left = released.awaitNanos(left);
        }
      } finally {
        lock.unlock();
      }
    }

    /** How many messages are in flight to a destination. */
    int messages(String destination) {
      lock.lock();
      try {
        Load load = byName.get(destination);
        return load == null ? 0 : load.messages;
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isRoomy(@Nullable Load load) {
    return load == null || hasRoom(load, maxMessages / ROOMY_PART, maxBytes / ROOMY_PART);
  }

  /**
   * Whether a destination may have more in flight, when it has so much more. The size of what comes
   * next does not count: a large message would never be sent beside small ones.
   */
  private boolean hasRoom(Load load, int moreMessages, long moreBytes) {
    return load.messages + moreMessages < maxMessages - total.messages
        && load.bytes + moreBytes < maxBytes - total.bytes;
  }
}
