/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages that may kill the process, each only after that has been stored.
 *
 * <p>Where the owners of a partition died again and again, all of its messages are watched, many at
 * a time. One that a later owner finds so was under way when its process ended: it is a suspect,
 * and is handed over alone in the whole relay, with its attempts counted. If it is found with as
 * many as are allowed, it has had its last one. Guarded by the memory's lock.
 */
final class CrashQuarantine {
  /** So many may be found by the next owner, who hands them over one by one. */
  private static final int MAX_WATCHED = 64;

  private final int crashAttempts;
  private final LaneTable lanes;
  private final Outflow outflow;
  private final RelayMemory.Signals signals;
  private final Set<LaneEntry> noted = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Lane> waiting = new LinkedHashSet<>(); // until one of those noted has ended
  private @Nullable LaneEntry alone;

  CrashQuarantine(
      int crashAttempts, LaneTable lanes, Outflow outflow, RelayMemory.Signals signals) {
    this.crashAttempts = crashAttempts;
    this.lanes = lanes;
    this.outflow = outflow;
    this.signals = signals;
  }

  /**
   * The head of an offered lane needs care: what is to be done with it?
   *
   * @return whether it may be delivered now
   */
  boolean mayDeliver(Lane lane, LaneEntry head) {
    if (head.isNoted()) {
      return true; // while this is being stored, its lane is not offered
    }
    if (alone != null || (!head.isSuspect() && noted.size() >= MAX_WATCHED)) {
      lane.withdraw(); // workers would come for it again and again
      waiting.add(lane);
    } else if (head.isSuspect() && head.attempts() >= crashAttempts) {
      lane.withdraw();
      bury(lane, head);
    } else {
      lane.take();
      record(head);
    }
    return false;
  }

  private void record(LaneEntry head) {
    noted.add(head);
    head.note();
    if (head.isSuspect()) {
      alone = head;
    }
    head.partition().itemAdded();
    Fate suspect =
        new Fate.Deferred(
            DeferReason.SUSPECT,
            head.isSuspect() ? head.attempts() + 1 : 0, // failures are no deaths
            Duration.ZERO,
            head.lastError(),
            head.isPassed());
    outflow.add(PendingRow.watched(head, suspect));
  }

  private void bury(Lane lane, LaneEntry head) {
    lane.removeHead();
    lane.handler().left();
    String error =
        "the process ended while handler \"%s\" was at work on this message, %d times"
            .formatted(lane.handler().name(), head.attempts());
    boolean blocks = lane.handler().blocksLanes();
    outflow.add(new PendingRow(head, new Fate.Dead(head.attempts(), error, blocks)));
    if (blocks) {
      outflow.close(lane, head.seq());
    }
    lanes.offer(lane);
    signals.workWaits(); // the worker has been past the end of its lanes
  }

  /** It is in the table, or better delivered than stuck. */
  void recorded(LaneEntry entry) {
    if (!entry.isRecording()) { // its row is what it was
      entry.partition().deferredRows().leave(entry.seq(), entry.rowHandler());
      signals.deferredRowsChanged();
      return;
    }
    Lane lane = entry.lane();
    entry.recorded();
    lane.rest();
    if (lane.head() != entry) { // it was given back meanwhile
      notDelivered(entry);
    }
    lanes.settleDown(lane);
    signals.workWaits();
  }

  /**
   * It leaves the memory undelivered. If it was noted, its row becomes what it was, and is not read
   * before: whoever finds it would take it for the cause of a death.
   *
   * @return whether it was noted
   */
  boolean notDelivered(LaneEntry entry) {
    boolean wasNoted = entry.isNoted();
    if (wasNoted && !entry.isRecording()) {
      ended(entry);
      entry.partition().itemAdded();
      outflow.add(PendingRow.watched(entry, asItWas(entry)));
    }
    return wasNoted;
  }

  private static Fate asItWas(LaneEntry entry) {
    DeferReason reason = entry.attempts() > 0 ? DeferReason.RETRYING : DeferReason.HELD;
    return new Fate.Deferred(
        entry.isSuspect() ? DeferReason.SUSPECT : reason,
        entry.attempts(),
        Duration.ZERO,
        entry.lastError(),
        entry.isPassed());
  }

  /**
   * A handler is paused, or hangs with all its workers: others do not wait for what is delivered to
   * it next.
   */
  void giveBack(HandlerLanes handler) {
    for (LaneEntry entry : List.copyOf(noted)) {
      Lane lane = entry.lane();
      if (lane.handler() == handler && lane.head() == entry) {
        outflow.giveBackQueued(lane);
        lanes.settleDown(lane);
      }
    }
  }

  /** A delivery has ended, or will be made later. */
  void ended(LaneEntry entry) {
    if (entry.isNoted() && !entry.isRecording() && noted.remove(entry)) {
      entry.forgetNote();
      if (alone == entry) {
        alone = null;
      }
      waiting.forEach(lanes::offer);
      waiting.clear();
      signals.workWaits();
    }
  }

  /** The relay has lost everything. */
  void forget() {
    for (LaneEntry entry : noted) {
      if (entry.isRecording()) {
        entry.lane().rest();
      }
    }
    noted.clear();
    waiting.clear();
    alone = null;
  }
}
