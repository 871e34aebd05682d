/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

/**
 * How far a partition has been read. Rows become visible out of seq order, so every read begins at
 * a floor, below which nothing can appear any more. Reading from there is what keeps a lane in
 * order: a snapshot that shows a row shows the earlier ones of its key too. Guarded by the
 * workload's lock.
 */
final class Cursor {
  private long floor;
  private boolean full = true;

  /**
   * Notes a read.
   *
   * @param last the highest seq that it returned, 0 if none
   * @param full whether it returned as many rows as it was asked for, so that there may be more
   * @param passed no row with a seq up to this one could appear after it
   */
  void read(long last, boolean full, long passed) {
    this.full = full;
    floor = Math.max(floor, full ? Math.min(last, passed) : passed);
  }

  /** Nothing that was read before says where rows may appear. */
  void reset() {
    floor = 0;
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
