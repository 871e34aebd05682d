/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.TreeSet;

/**
 * When deferred rows without a key fall due, as far as this relay knows: a hint that saves polling.
 * Times are rounded up, and more than a thousand are not kept; the poll finds the rest. Guarded by
 * the memory's lock.
 */
final class DueTimes {
  private static final long GRAIN_NANOS = 10_000_000;
  private static final int MAX_TIMES = 1_000;

  private final TreeSet<Long> times = new TreeSet<>();

  void add(long nanos) {
    times.add(Math.floorDiv(nanos, GRAIN_NANOS) * GRAIN_NANOS + GRAIN_NANOS);
    if (times.size() > MAX_TIMES) {
      times.pollLast();
    }
  }

  /** Whether some time has come; forgets it. */
  boolean pollDue(long now) {
    boolean due = false;
    while (!times.isEmpty() && times.first() <= now) {
      times.pollFirst();
      due = true;
    }
    return due;
  }

  /** How long until the next time; the given default if there is none. */
  long nanosUntilNext(long now, long otherwise) {
    return times.isEmpty() ? otherwise : Math.max(0, Math.min(otherwise, times.first() - now));
  }
}
