/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a handler that is slow or paused from taking the window, or a message, from the others:
 * what it has not come to waits in the deferred table, and comes back in order when it has room.
 * Guarded by the memory's lock.
 */
final class Spillover {
  private final LaneTable lanes;
  private final Outflow outflow;
  private final Window window;
  private final long lateNanos;
  private boolean full;
  private long fullSince;

  Spillover(LaneTable lanes, Outflow outflow, Window window, long lateNanos) {
    this.lanes = lanes;
    this.outflow = outflow;
    this.window = window;
    this.lateNanos = lateNanos;
  }

  /**
   * Makes room, if that is due.
   *
   * @return how many messages are on their way out
   */
  int runOnce(long now) {
    int leaving = splitLateMessages(now);
    boolean wasFull = full;
    full = window.isFull();
    fullSince = full && wasFull ? fullSince : now;
    if (full) {
      leaving += spillGreedyHandlers(now);
    }
    return leaving;
  }

  /**
   * Messages that some handlers are done with no longer wait for the others. If none is done with
   * it yet, nothing would be gained: it is looked at again after the same time.
   */
  private int splitLateMessages(long now) {
    List<PendingMessage> late = new ArrayList<>(0);
    for (PendingMessage oldest : outflow.shared()) {
      if (now - oldest.since() < lateNanos) {
        break;
      }
      late.add(oldest);
    }
    int split = 0;
    for (PendingMessage message : late) {
      if (message.isTouched()) {
        outflow.split(message);
        split++;
      } else {
        outflow.shared().remove(message);
        message.waitAgain(now);
        outflow.shared().add(message);
      }
    }
    return split;
  }

  /**
   * Reading has stopped: whoever keeps more than its share from handlers that have nothing to do
   * gives it up.
   */
  private int spillGreedyHandlers(long now) {
    boolean late = now - fullSince >= lateNanos;
    List<HandlerLanes> all = lanes.handlers();
    int share = Math.max(1, window.messages() / all.size());
    boolean somebodyIdle = false;
    for (HandlerLanes handler : all) {
      somebodyIdle |= !handler.isClosed() && handler.isIdle(now, lateNanos);
    }
    int spilled = 0;
    for (HandlerLanes handler : all) {
      if (somebodyIdle && handler.inMemory() >= share && (late || handler.isClosed())) {
        spilled += spill(handler);
      }
    }
    return spilled;
  }

  /**
   * Puts what a handler has in memory into the deferred table, but for the first message of some
   * lanes if its circuit is to be probed. If these are all that it has, and the window is full all
   * the same, they go too: they are read again when there is room.
   */
  private int spill(HandlerLanes handler) {
    int before = handler.inMemory();
    boolean probed = handler.circuit().isOpen() && !handler.isPaused();
    int kept = probed && before > HandlerLanes.PROBE_LANES ? HandlerLanes.PROBE_LANES : 0;
    for (Lane lane : lanes.withQueued(handler)) {
      int keptOfLane = kept > 0 || goesNext(lane) ? 1 : 0;
      kept -= keptOfLane;
      for (LaneEntry entry : lane.removeQueued(keptOfLane)) {
        outflow.giveBack(entry, Outflow.WAITING);
      }
      lanes.settleDown(lane);
    }
    return before - handler.inMemory();
  }

  /** Whether it is stored, or being stored, that the first message is delivered now. */
  private boolean goesNext(Lane lane) {
    LaneEntry head = lane.head();
    return head != null && outflow.quarantine().hasNoted(head) && !lane.handler().isClosed();
  }
}
