/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.ReadResult;
import java.util.concurrent.TimeUnit;

/**
 * How far a partition has been read. Rows become visible out of seq order, so every read begins at
 * a floor behind the highest seq, below which nothing can appear any more: the highest seq of an
 * earlier read, once a later one has seen everything that the transactions of that time have
 * written. Reading from there is what keeps a lane in order: a snapshot that shows a row shows the
 * earlier ones of its key too.
 *
 * <p>If the database does not tell of other transactions, or one of them takes very long, the floor
 * moves on after the look-back time, and the sweep finds what comes even later. Guarded by the
 * workload's lock.
 */
final class Cursor {
  /** A writer may draw its seq a moment before the database gives its transaction a number. */
  private static final long LEAST_AGE = TimeUnit.MILLISECONDS.toNanos(50);

  private final long lookBackNanos;
  private long highest;
  private long floor;
  private boolean full = true;
  private long mark;
  private long markedAt;
  private long markBarrier = Long.MIN_VALUE; // the first read sets a mark at once

  Cursor(long now, long lookBackNanos) {
    this.markedAt = now - LEAST_AGE;
    this.lookBackNanos = lookBackNanos;
  }

  /**
   * Notes a read.
   *
   * @param last the highest seq that it returned, 0 if none
   * @param full whether it returned as many rows as it was asked for, so that there may be more
   * @param begun when it began
   */
  void read(long last, boolean full, ReadResult result, long begun, long now) {
    this.full = full;
    highest = Math.max(highest, last);
    long covered = full ? last : highest;
    boolean othersEnded = result.oldestRunning() >= markBarrier && begun - markedAt >= LEAST_AGE;
    if (othersEnded || begun - markedAt >= lookBackNanos) {
      floor = Math.max(floor, Math.min(mark, covered));
      mark = covered;
      markBarrier = result.nextTransaction();
      markedAt = now;
    }
  }

  /** Where reads begin. */
  long floor() {
    return floor;
  }

  /** Whether the last read got as many rows as it asked for. */
  boolean full() {
    return full;
  }
}
