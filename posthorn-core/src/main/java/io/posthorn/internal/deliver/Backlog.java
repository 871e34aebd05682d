/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.LaneId;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

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

  private static final int PLACES = 1 << 16;
  private static final int SPREAD = 0x9E37_79B9;

  /** Before all rows: the seqs of markers that people set are negative. */
  private static final long BEGINNING = Long.MIN_VALUE;

  final Holding holding;
  final HandlerQueue handler;
  private final Arrivals arrivals = new Arrivals();
  private final Map<LaneId, NavigableSet<Long>> moving = new HashMap<>(); // seqs on their way
  private final Map<LaneId, Long> arrived = new HashMap<>(); // the lowest since the pass began
  private final Map<LaneId, Duration> notDue = new LinkedHashMap<>();
  private final BitSet others = new BitSet(); // not due either
  private int pass;
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
      arrived.clear();
      notDue.clear();
      tooMany = false;
      others.clear();
      pass++;
      tookSome = false;
    }
    return after;
  }

  /** A message of the handler is on its way to the table. */
  void arrives(StoredMessage message) {
    arrivals.begin();
    moving.computeIfAbsent(laneOf(message), any -> new TreeSet<>()).add(message.seq());
  }

  /** It is there now, or never will be. */
  void arrived(StoredMessage message) {
    arrivals.end();
    LaneId lane = laneOf(message);
    NavigableSet<Long> seqs = requireNonNull(moving.get(lane), "moving");
    seqs.remove(message.seq());
    if (seqs.isEmpty()) {
      moving.remove(lane);
    }
    arrived.merge(lane, message.seq(), Math::min);
  }

  /** A row that was in memory is only in the table now. */
  void givenBack(StoredMessage message) {
    arrivals.givenBack();
    arrived.merge(laneOf(message), message.seq(), Math::min);
  }

  /** Lanes are no longer remembered one by one: their rows may be anywhere. */
  void beginAgain() {
    arrivals.givenBack();
    after = BEGINNING;
  }

  private LaneId laneOf(StoredMessage message) {
    String key = requireNonNull(message.envelope().key(), "rows of lanes have a key");
    return new LaneId(holding.partition, handler.name(), key);
  }

  /**
   * Whether an earlier row of its lane may have come to a place that this pass has left behind:
   * then this one waits for the next pass.
   */
  boolean mayOvertake(LaneId lane, long seq) {
    NavigableSet<Long> onTheWay = moving.get(lane);
    return arrived.getOrDefault(lane, seq) < seq || (onTheWay != null && onTheWay.first() < seq);
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
      others.set(place(lane));
    }
  }

  /**
   * Whether this pass has found the lane not due. It may have become due since, but then its
   * earlier rows lie behind. Of very many lanes some are taken for others, each time different
   * ones.
   */
  boolean passedOver(LaneId lane) {
    return notDue.containsKey(lane) || (tooMany && others.get(place(lane)));
  }

  private int place(LaneId lane) {
    return (((lane.hashCode() ^ (pass * SPREAD)) * SPREAD) >>> 8) % PLACES;
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
