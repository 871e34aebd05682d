/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static java.util.Collections.emptyNavigableMap;

import io.posthorn.spi.LaneId;
import io.posthorn.spi.ReadResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One handler and one key in memory, or one message without a key.
 *
 * <p>A lane is the merge, by seq, of its deferred and its ready rows. While all of its deferred
 * rows are in memory, it is open: ready rows are queued behind them. When the deferred table has
 * rows of it that are not in memory, it is closed behind the first of them: later ready rows join
 * those in the table, and all of them come back in order once the first is due. A lane that is new
 * to the memory knows nothing of the table: the read that brings its row tells. Guarded by the
 * memory's lock.
 */
final class Lane {
  /** RESTING → OFFERED → TAKEN → RESTING. */
  private enum Turn {
    RESTING,
    /** Workers may take from it. */
    OFFERED,
    /** A worker has some of its entries, or its head waits for the store. */
    TAKEN
  }

  private static final long MOVING = Long.MAX_VALUE;

  private final HandlerLanes handler;
  private final LaneId id;
  private final boolean holds;
  private final Deque<LaneEntry> queue = new ArrayDeque<>(2);
  private Turn turn = Turn.RESTING;
  private @Nullable LaneEntry underWay; // if it is the only one that was taken
  private long underWaySince;
  private boolean surveyed; // whether it is known where it is closed
  private long closedBehind = ReadResult.NO_HEAD;
  private int ownRows; // deferred rows that are queued, under way or being settled
  private NavigableMap<Long, Long> inTransit = emptyNavigableMap(); // by seq: when it arrived

  /**
   * @param holds whether later messages wait behind earlier ones; false for the lane of a single
   *     message without a key
   */
  Lane(HandlerLanes handler, LaneId id, boolean holds) {
    this.handler = handler;
    this.id = id;
    this.holds = holds;
  }

  HandlerLanes handler() {
    return handler;
  }

  LaneId id() {
    return id;
  }

  boolean holds() {
    return holds;
  }

  // --- whose turn it is

  /** Offers it to workers; false if it has nothing to deliver or is offered or taken already. */
  boolean offer() {
    LaneEntry head = queue.peekFirst();
    if (turn != Turn.RESTING || head == null || !head.deliverable()) {
      return false;
    }
    turn = Turn.OFFERED;
    return true;
  }

  /** Takes the offer back. */
  void withdraw() {
    move(Turn.OFFERED, Turn.RESTING);
  }

  /** A worker takes from it, or its head waits for the store. */
  void take() {
    move(Turn.OFFERED, Turn.TAKEN);
  }

  /** What was taken has ended. */
  void rest() {
    move(Turn.TAKEN, Turn.RESTING);
    underWay = null;
  }

  /** Its head, and nothing else, is handed to a batch handler. */
  LaneEntry removeOnly(long now) {
    LaneEntry head = removeHead();
    underWay = head;
    underWaySince = now;
    return head;
  }

  /** The entry that has been handed over for this long, while others wait behind it; else null. */
  @Nullable LaneEntry holdingUp(long now, long nanos) {
    return underWay != null && !queue.isEmpty() && now - underWaySince >= nanos ? underWay : null;
  }

  private void move(Turn from, Turn to) {
    if (turn != from) {
      throw new IllegalStateException("lane " + id + " is " + turn + ", not " + from);
    }
    turn = to;
  }

  boolean isOffered() {
    return turn == Turn.OFFERED;
  }

  // --- its entries in memory

  /**
   * Adds an entry behind those with a lower seq, and behind one of which it is stored that it is
   * delivered next; a row that became visible late goes before later ones.
   */
  void insert(LaneEntry entry) {
    LaneEntry last = queue.peekLast();
    if (last == null || last.seq() < entry.seq()) {
      queue.addLast(entry);
      return;
    }
    List<LaneEntry> later = new ArrayList<>();
    while (!queue.isEmpty() && goesBefore(entry, queue.getLast())) {
      later.add(queue.removeLast());
    }
    queue.addLast(entry);
    for (int i = later.size() - 1; i >= 0; i--) {
      queue.addLast(later.get(i));
    }
  }

  private static boolean goesBefore(LaneEntry entry, LaneEntry queued) {
    return entry.seq() < queued.seq() && !queued.isNoted();
  }

  @Nullable LaneEntry head() {
    return queue.peekFirst();
  }

  LaneEntry removeHead() {
    return queue.removeFirst();
  }

  boolean hasQueued() {
    return !queue.isEmpty();
  }

  /** Removes all but the first ones, and returns them in order. */
  List<LaneEntry> removeQueued(int kept) {
    List<LaneEntry> first = new ArrayList<>(kept);
    while (first.size() < kept && !queue.isEmpty()) {
      first.add(queue.removeFirst());
    }
    List<LaneEntry> removed = new ArrayList<>(queue);
    queue.clear();
    queue.addAll(first);
    return removed;
  }

  /** Removes one entry, if it is queued. */
  boolean remove(LaneEntry entry) {
    return queue.remove(entry);
  }

  // --- its rows in the deferred table

  /**
   * Whether a ready row with this seq has to join rows in the deferred table.
   *
   * @param head the first of them, as the read shows them that brought the row
   */
  boolean isClosedFor(long seq, long head) {
    if (!surveyed) {
      closeBehind(head);
    }
    return isClosedFor(seq);
  }

  /** The same for a row in memory: as far as is known, which may be nothing yet. */
  boolean isClosedFor(long seq) {
    return seq > closedBehind;
  }

  /** The deferred table has, or will have, this row, which is not in memory. */
  void closeBehind(long seq) {
    surveyed = true;
    closedBehind = Math.min(closedBehind, seq);
  }

  boolean isClosed() {
    return closedBehind != ReadResult.NO_HEAD;
  }

  /** The deferred table has been read: from this row on it has rows that are not in memory. */
  void surveyed(long firstMissing) {
    closedBehind = firstMissing;
    surveyed = true;
  }

  /**
   * The first row that a read of the deferred table may have missed, because it was on its way when
   * the read began at this event, or still is.
   */
  long firstMissedBy(long readBegan) {
    for (Map.Entry<Long, Long> row : inTransit.entrySet()) {
      if (row.getValue() >= readBegan) {
        return row.getKey();
      }
    }
    return ReadResult.NO_HEAD;
  }

  /** A deferred row of it is in memory. */
  void rowInMemory() {
    ownRows++;
  }

  /** A deferred row of it is no longer in memory. */
  void rowLeft() {
    if (ownRows == 0) {
      throw new IllegalStateException("lane " + id + " has no deferred row in memory");
    }
    ownRows--;
  }

  /** A row of it is on its way to the deferred table. */
  void rowMoves(long seq) {
    inTransit = inTransit.isEmpty() ? new TreeMap<>() : inTransit;
    inTransit.put(seq, MOVING);
  }

  /**
   * It is there now, or never will be.
   *
   * @param remembered whether a read of the deferred table is under way that may have missed it
   */
  void rowArrived(long seq, long event, boolean remembered) {
    Long before = inTransit.get(seq);
    if (before == null || before != MOVING) {
      throw new IllegalStateException("row " + seq + " of lane " + id + " is not on its way");
    }
    inTransit.put(seq, event);
    if (!remembered) {
      inTransit.values().removeIf(arrived -> arrived != MOVING);
    }
  }

  /** Whether nothing of it is in memory or on its way. */
  boolean isIdle() {
    return turn == Turn.RESTING
        && queue.isEmpty()
        && ownRows == 0
        && (inTransit.isEmpty() || !inTransit.containsValue(MOVING));
  }

  /** Its partition has been given up: what is under way does not count any more. */
  void forget() {
    queue.clear();
    surveyed = false;
    closedBehind = ReadResult.NO_HEAD;
    ownRows = 0;
    inTransit = emptyNavigableMap();
    underWay = null;
    if (turn == Turn.OFFERED) {
      turn = Turn.RESTING;
    }
  }
}
