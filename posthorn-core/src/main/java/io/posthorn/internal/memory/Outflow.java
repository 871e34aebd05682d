/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What leaves the memory: outcomes on their way to the store, and entries that are given back to
 * the tables undelivered. Guarded by the memory's lock.
 */
final class Outflow {
  static final Fate HELD = new Fate.Deferred(DeferReason.HELD, 0, null, null);
  static final Fate WAITING = new Fate.Deferred(DeferReason.WAITING, 0, null, null);
  private static final Fate WAITING_BY_TIME =
      new Fate.Deferred(DeferReason.WAITING, 0, Duration.ZERO, null, true);

  private final LaneTable lanes;
  private final Window window;
  private final RelayMemory.Signals signals;
  private final Deque<PendingSettlement> settlements = new ArrayDeque<>();
  private final Set<PendingMessage> shared = new LinkedHashSet<>(); // those with several handlers
  private final CrashQuarantine quarantine;
  private boolean dueReadUnderWay;
  private long events; // counts reads that begin and rows that arrive, to tell which came first

  /**
   * @param crashAttempts how often a message may have been under way when its process ended
   */
  Outflow(LaneTable lanes, Window window, int crashAttempts, RelayMemory.Signals signals) {
    this.lanes = lanes;
    this.window = window;
    this.signals = signals;
    this.quarantine = new CrashQuarantine(crashAttempts, lanes, this, signals);
  }

  /** How a message waits that its lane keeps from being delivered. */
  static Fate held(Lane lane) {
    return lane.holds() ? HELD : WAITING_BY_TIME;
  }

  CrashQuarantine quarantine() {
    return quarantine;
  }

  /** A number that is greater than those of all events before. */
  long nextEvent() {
    return ++events;
  }

  /** A read of the deferred table begins; returns the number of that event. */
  long dueReadBegins() {
    dueReadUnderWay = true;
    return nextEvent();
  }

  void dueReadEnds() {
    dueReadUnderWay = false;
  }

  // --- outcomes

  void add(PendingSettlement settlement) {
    settlements.add(settlement);
    signals.outcomeWaits();
  }

  List<PendingSettlement> take(int max) {
    List<PendingSettlement> taken = new ArrayList<>(Math.min(max, settlements.size()));
    while (taken.size() < max && !settlements.isEmpty()) {
      taken.add(settlements.remove());
    }
    return taken;
  }

  void clear() {
    settlements.clear();
    shared.clear();
  }

  /** Messages with several handlers that are waited for together, oldest first. */
  Set<PendingMessage> shared() {
    return shared;
  }

  /** A delivery has ended so. */
  void ended(LaneEntry entry, Fate fate) {
    PendingMessage ready = entry.ready();
    if (ready == null) {
      add(new PendingRow(entry, fate));
    } else if (fate instanceof Fate.Delivered delivered) {
      ready.done(entry, delivered.kept());
      if (ready.isComplete()) {
        leaves(ready);
      }
    } else {
      ready.leaveOver(entry, fate);
      split(ready);
    }
  }

  /** No handler has it in memory any more. */
  void leaves(PendingMessage ready) {
    shared.remove(ready);
    add(ready);
  }

  /**
   * Some handler will not be done with this message here, so its row is split: each of the others
   * gets a deferred row of its own, and goes on with it as if nothing had happened.
   */
  void split(PendingMessage ready) {
    for (LaneEntry entry : ready.detachOpen(HELD, WAITING_BY_TIME)) {
      entry.lane().rowInMemory();
      entry.claim().share();
      entry.partition().itemAdded();
      entry.partition().deferredRows().enter(entry.seq(), entry.rowHandler());
    }
    leaves(ready);
  }

  // --- entries that are given back

  /**
   * From now on later messages of this lane wait in the deferred table; what is queued goes there.
   */
  void close(Lane lane, long seq) {
    if (!lane.holds()) {
      return; // others of its key go on
    }
    lane.closeBehind(seq);
    giveBackQueued(lane);
  }

  /** What is queued in a lane goes to the deferred table, or stays there. */
  void giveBackQueued(Lane lane) {
    if (lane.isOffered()) {
      lane.handler().withdraw(lane);
    }
    for (LaneEntry entry : lane.removeQueued(0)) {
      giveBack(entry, HELD);
    }
  }

  /** Gives up an entry that was taken out of its lane: its row goes to, or stays in, the table. */
  void giveBack(LaneEntry entry, Fate fate) {
    Lane lane = entry.lane();
    lane.handler().left();
    if (lane.holds()) {
      lane.closeBehind(entry.seq());
    }
    PendingMessage ready = entry.ready();
    if (ready == null) {
      dropDeferred(entry);
    } else {
      ready.leaveOver(entry, lane.holds() ? fate : held(lane));
      split(ready);
    }
  }

  /** A deferred row is only in the table from now on. */
  void dropDeferred(LaneEntry entry) {
    entry.lane().rowLeft();
    if (!quarantine.notDelivered(entry)) {
      entry.partition().deferredRows().leave(entry.seq(), entry.rowHandler());
    }
    entry.partition().itemRemoved();
    window.release(entry.claim());
  }

  /** A ready row is only in the table from now on, and is not read again by this relay. */
  void dropReady(PendingMessage ready) {
    shared.remove(ready);
    ready.endMoves(nextEvent(), dueReadUnderWay);
    ready.partition().itemRemoved();
    window.release(ready.claim());
  }

  // --- what was stored

  void settled(PendingSettlement settlement) {
    settlement.partition().itemSettled();
    if (settlement instanceof PendingMessage ready) {
      ready.partition().leave(ready.message().seq());
      ready.detached().forEach(LaneEntry::rowStored);
      readyLeft(ready);
    } else if (settlement instanceof PendingRow row && !goesOn(row)) {
      row.partition().deferredRows().leave(row.message().seq(), row.handler());
      rowLeft(row);
      if (row.lane() != null && row.lane().isClosed()) {
        signals.deferredRowsChanged(); // the next one of the lane may be due now
      }
    }
  }

  /**
   * The outcome of an entry was stored in the transaction of its handler. Such a handler shares no
   * ready row with others.
   */
  void settledWithDelivery(LaneEntry entry) {
    PendingMessage ready = entry.ready();
    settled(ready == null ? new PendingRow(entry, Fate.DELIVERED) : ready);
  }

  /**
   * An outcome that the store refuses: its row stays as it is. A ready one is not read again.
   *
   * @param until when a deferred one is read again, since others of its lane may wait for it
   */
  void abandoned(PendingSettlement settlement, long until) {
    settlement.partition().itemRemoved();
    if (settlement instanceof PendingMessage ready) {
      ready.detached().forEach(this::hasNoRow);
      readyLeft(ready);
    } else if (settlement instanceof PendingRow row && !goesOn(row)) {
      row.partition().deferredRows().abandon(row.message().seq(), row.handler(), until);
      rowLeft(row);
    }
  }

  /** An entry will never have the row of its own that it waits for. */
  private void hasNoRow(LaneEntry entry) {
    if (entry.lane().remove(entry)) {
      entry.lane().handler().left();
      dropDeferred(entry);
    }
  }

  private void readyLeft(PendingMessage ready) {
    window.release(ready.claim());
    for (Lane lane : ready.endMoves(nextEvent(), dueReadUnderWay)) {
      lanes.settleDown(lane);
      if (lane.isClosed()) {
        signals.deferredRowsChanged();
      } else {
        signals.workWaits();
      }
    }
  }

  /** Lets an entry be delivered that is watched; better than stuck, if that was not stored. */
  private boolean goesOn(PendingRow row) {
    LaneEntry watched = row.watched();
    if (watched != null) {
      quarantine.recorded(watched);
    }
    return watched != null;
  }

  private void rowLeft(PendingRow row) {
    window.release(row.claim());
    Lane lane = row.lane();
    if (lane != null) {
      lane.rowLeft();
      lanes.settleDown(lane);
    }
  }
}
