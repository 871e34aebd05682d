/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.LaneId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The deferred rows of one handler in one partition, brought back in seq order because their lanes
 * are too many to be remembered one by one. While it lasts, every message of the handler that
 * stands in a lane of the partition joins it; lanes that are blocked by themselves are passed over.
 * It is read from the beginning to the end again and again, until a pass finds only a few lanes
 * that are not due: those are then remembered as blocked. Guarded by the workload's lock.
 */
final class Backlog {
  /** So many blocked lanes of one handler and partition are remembered at the most. */
  static final int MOST_LANES = 1_024;

  /** A first pass that is longer than this is no longer waited for. */
  private static final int MOST_SURVEYED = 4 * MOST_LANES;

  /** Before all rows: the seqs of markers that people set are negative. */
  private static final long BEGINNING = Long.MIN_VALUE;

  final Holding holding;
  final HandlerQueue handler;
  final Arrivals arrivals = new Arrivals();
  private final Map<LaneId, Duration> notDue = new LinkedHashMap<>();
  private boolean tooMany;
  private boolean tookSome;
  private long after = BEGINNING;
  private long notBefore;
  private boolean surveyed;
  private int seen;

  Backlog(Holding holding, HandlerQueue handler, long now) {
    this.holding = holding;
    this.handler = handler;
    this.notBefore = now;
  }

  /** The seq behind which the next read begins. A read from the beginning begins a pass. */
  long readBegins() {
    if (after == BEGINNING) {
      arrivals.lookBegins();
      notDue.clear();
      tooMany = false;
      tookSome = false;
    }
    return after;
  }

  /** A row came to memory. */
  void took() {
    tookSome = true;
    surveyed = true;
  }

  /**
   * Whether the first pass has shown how much there is. Until then it is better to wait with new
   * messages than to let them join: most often there are a few blocked lanes and nothing else.
   */
  boolean surveyed() {
    return surveyed;
  }

  /** The head of a lane is due later. */
  void notDue(LaneId lane, Duration dueIn) {
    if (notDue.size() < MOST_LANES / 2 || notDue.containsKey(lane)) {
      notDue.putIfAbsent(lane, dueIn);
    } else {
      tooMany = true;
      surveyed = true;
    }
  }

  /** The read brought so many rows and ended at this seq, and there may be more behind it. */
  void readTo(long seq, int rows) {
    after = seq;
    seen += rows;
    surveyed |= seen > MOST_SURVEYED;
  }

  /**
   * The pass has come to the end.
   *
   * @return whether all is known that is left
   */
  boolean passEnds(long now, long waitNanos) {
    after = BEGINNING;
    surveyed = true;
    notBefore = tookSome || arrivals.mayHaveMissed() ? now : now + waitNanos;
    return !tooMany && !arrivals.mayHaveMissed();
  }

  /** Lanes that are not due, as the last pass has seen them. */
  Map<LaneId, Duration> lanesNotDue() {
    return notDue;
  }

  /** Ticker time of the next read. */
  long notBefore() {
    return notBefore;
  }
}
