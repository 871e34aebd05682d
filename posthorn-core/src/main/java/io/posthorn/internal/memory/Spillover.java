/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a handler that is slow or paused from taking the window, or a message, from the others:
 * what it has not come to waits in the deferred table, and comes back in order when it has room.
 * Guarded by the memory's lock.
 */
final class Spillover {
  /** What waits behind a message without an answer leaves when it has waited for this long. */
  private static final long HELD_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LaneTable lanes;
  private final Outflow outflow;
  private final Window window;
  private final long lateNanos;
  private boolean full;
  private long fullSince;
  private long heldUpLookedAt;

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
    if (full && now - heldUpLookedAt >= LOOK_NANOS) {
      heldUpLookedAt = now;
      leaving += spillHeldUpLanes(now);
    }
    return leaving;
  }

  /**
   * What waits behind messages that a broker does not answer must not keep those of other keys out.
   * The message itself gets a deferred row, so that it stays the first of its lane there.
   */
  private int spillHeldUpLanes(long now) {
    int spilled = 0;
    long late = Math.min(lateNanos, HELD_UP_NANOS);
    for (Lane lane : lanes.heldUp(now, late)) {
      LaneEntry first = requireNonNull(lane.holdingUp(now, late), "first");
      PendingMessage ready = first.ready();
      if (ready != null) {
        outflow.split(ready);
      }
      for (LaneEntry entry : lane.removeQueued(0)) {
        outflow.giveBack(entry, Outflow.HELD);
        spilled++;
      }
    }
    return spilled;
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
   * the same, they go too: they are read again when there is room. Those of which it is stored that
   * they are delivered next stay; with an open circuit, one of them.
   */
  private int spill(HandlerLanes handler) {
    int before = handler.inMemory();
    boolean open = handler.circuit().isOpen();
    boolean goesOn = !handler.isPaused() && !handler.isStuck();
    int probes = open && goesOn && before > HandlerLanes.PROBE_LANES ? HandlerLanes.PROBE_LANES : 0;
    int noted = open ? 1 : Integer.MAX_VALUE;
    for (Lane lane : lanes.withQueued(handler)) {
      boolean probe = probes > 0;
      boolean next = !probe && noted > 0 && requireNonNull(lane.head(), "head").isNoted();
      probes -= probe ? 1 : 0;
      noted -= next ? 1 : 0;
      for (LaneEntry entry : lane.removeQueued(probe || next ? 1 : 0)) {
        outflow.giveBack(entry, Outflow.WAITING);
      }
      lanes.settleDown(lane);
    }
    return before - handler.inMemory();
  }
}
