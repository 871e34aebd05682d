/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A ready row in memory, with the handlers that are not done with it. Guarded by the memory's lock.
 */
final class PendingMessage extends PendingSettlement {
  private final ReadTimes read;
  private final List<LaneEntry> open = new ArrayList<>(1);
  private List<Settlement.Leftover> leftovers = List.of();
  private List<Lane> movingLanes = List.of();
  private List<LaneEntry> detached = List.of();
  private List<String> kept = List.of();
  private int done;
  private long since;

  PendingMessage(
      HeldPartition partition, StoredMessage message, Window.Claim claim, ReadTimes read) {
    super(partition, message, claim);
    this.read = read;
    this.since = read.ended();
  }

  ReadTimes read() {
    return read;
  }

  /** Since when it has been waited for all its handlers. */
  long since() {
    return since;
  }

  void waitAgain(long now) {
    since = now;
  }

  void open(LaneEntry entry) {
    open.add(entry);
  }

  /** A handler is done with it. */
  void done(LaneEntry entry, boolean keep) {
    open.remove(entry);
    done++;
    if (keep) {
      kept = kept.isEmpty() ? new ArrayList<>(1) : kept;
      kept.add(entry.rowHandler());
    }
  }

  /** A handler that had it in memory will not be done with it here. */
  void leaveOver(LaneEntry entry, Fate fate) {
    open.remove(entry);
    leaveOver(entry.lane(), fate);
  }

  /** The same, for a handler that never had it. */
  void leaveOver(Lane lane, Fate fate) {
    leaveOver(lane.handler().name(), fate);
    if (leavesRow(fate)) {
      lane.rowMoves(message().seq());
      movingLanes = movingLanes.isEmpty() ? new ArrayList<>(1) : movingLanes;
      movingLanes.add(lane);
    }
  }

  /** The same, for a handler of which this relay knows the name only. */
  void leaveOver(String handler, Fate fate) {
    leftovers = leftovers.isEmpty() ? new ArrayList<>(1) : leftovers;
    leftovers.add(new Settlement.Leftover(handler, fate));
    if (leavesRow(fate)) {
      partition().deferredRows().moves(handler);
    }
  }

  /**
   * Whether there is a deferred row then: the message's own, or the marker that blocks its lane.
   */
  private boolean leavesRow(Fate fate) {
    return fate instanceof Fate.Deferred
        || (fate instanceof Fate.Dead dead
            && dead.blocksLane()
            && message().envelope().key() != null);
  }

  /** Gives the handlers that still have it a row of their own each. */
  List<LaneEntry> detachOpen(Fate ofLane, Fate ofNoLane) {
    if (open.isEmpty()) {
      return List.of();
    }
    detached = List.copyOf(open);
    for (LaneEntry entry : detached) {
      leaveOver(entry, entry.lane().holds() ? ofLane : ofNoLane);
      entry.detach();
    }
    return detached;
  }

  /** Whether nothing is left over for anybody. */
  boolean isWhole() {
    return leftovers.isEmpty();
  }

  @Override
  public boolean isSplit() {
    return !leftovers.isEmpty();
  }

  /** Whether no handler has it in memory any more. */
  boolean isComplete() {
    return open.isEmpty();
  }

  int openCount() {
    return open.size();
  }

  /** Whether some handler is done with it. */
  boolean isTouched() {
    return done > 0;
  }

  @Override
  public Map<String, Fate.Dead> deadLetters() {
    if (leftovers.isEmpty()) {
      return Map.of();
    }
    Map<String, Fate.Dead> dead = new HashMap<>();
    for (Settlement.Leftover leftover : leftovers) {
      if (leftover.fate() instanceof Fate.Dead fate) {
        dead.put(leftover.handler(), fate);
      }
    }
    return dead;
  }

  Settlement.Ready settlement() {
    return settlement(message(), leftovers, kept);
  }

  static Settlement.Ready settlement(
      StoredMessage message, List<Settlement.Leftover> leftovers, List<String> kept) {
    return new Settlement.Ready(
        message.partition(),
        message.seq(),
        message.envelope().id(),
        message.envelope().key(),
        message.place(),
        leftovers,
        kept);
  }

  /** Those that got a row of their own when it was split. */
  List<LaneEntry> detached() {
    return detached;
  }

  /**
   * Its leftovers are in the deferred table, or never will be.
   *
   * @param remembered whether a read of the deferred table is under way that may have missed them
   * @return their lanes
   */
  List<Lane> endMoves(long event, boolean remembered) {
    for (Settlement.Leftover leftover : leftovers) {
      if (leavesRow(leftover.fate())) {
        partition().deferredRows().arrived(leftover.handler(), event);
      }
    }
    for (Lane lane : movingLanes) {
      lane.rowArrived(message().seq(), event, remembered);
    }
    List<Lane> ended = movingLanes;
    movingLanes = List.of();
    return ended;
  }
}
