/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

/**
 * How far a partition has been read. Rows become visible out of seq order, so reads look back
 * behind the highest seq; the floors are two marks, moved in turn, so that one of them is always at
 * least the look-back time old. Guarded by the workload's lock.
 */
final class Cursor {
  private long highest;
  private long newerFloor;
  private long olderFloor;
  private long markedAt;
  private boolean full = true;

  Cursor(long now) {
    this.markedAt = now;
  }

  void seen(long seq) {
    highest = Math.max(highest, seq);
  }

  /** Moves the floors on, if the look-back time has passed since they were moved. */
  void tick(long now, long lookBackNanos) {
    if (now - markedAt >= lookBackNanos) {
      olderFloor = newerFloor;
      newerFloor = highest;
      markedAt = now;
    }
  }

  long highest() {
    return highest;
  }

  /** Rows up to here were visible long ago. */
  long lookBackFloor() {
    return olderFloor;
  }

  /** Whether the last read got as many rows as it asked for. */
  boolean full() {
    return full;
  }

  void full(boolean full) {
    this.full = full;
  }
}
