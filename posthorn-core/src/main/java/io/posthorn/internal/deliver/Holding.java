/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One partition in one epoch of this relay's ownership. All but the final fields and the state are
 * guarded by the workload's lock.
 *
 * <p>A seq stays in the in-flight set beyond its settling, until the next read begins: a read that
 * began before the settle committed may still return the row.
 */
public final class Holding {
  /** LOADING → HELD → DRAINING → GONE; from each straight to GONE when the relay is expelled. */
  enum State {
    LOADING,
    HELD,
    DRAINING,
    GONE
  }

  private static final int CRASHES_THAT_ALARM = 2;

  /** A deferred row that is in memory. */
  private record DeferredRow(long seq, String handler) {}

  final int partition;
  final long epoch;
  final RelayIdentity owner;
  final Cursor cursor = new Cursor();
  final long heldSince;
  private final NavigableSet<Long> inFlight = new TreeSet<>();
  private final List<Long> leaving = new ArrayList<>();
  private final Set<DeferredRow> deferredInFlight = new HashSet<>();
  private final Set<DeferredRow> deferredLeaving = new HashSet<>();
  private final Map<String, Backlog> backlogs = new HashMap<>(); // by handler
  volatile State state = State.LOADING;
  boolean cautious; // its owners died at work again and again: one message at a time
  boolean restless; // an owner died, and it has not come to rest since
  int settledRows;
  int items; // messages in memory, settled ones excluded

  Holding(RelayIdentity owner, PartitionOwner row, long now) {
    this.heldSince = now;
    this.owner = owner;
    this.partition = row.partition();
    this.epoch = row.epoch();
    this.restless = row.crashes() > 0;
    this.cautious = row.crashes() >= CRASHES_THAT_ALARM;
  }

  /**
   * Whether what killed its last owners is no longer among what it has: everything was settled, or
   * as much as an owner has in memory.
   */
  boolean atRest(long now, long quietNanos, int window) {
    return state == State.HELD
        && (settledRows >= window
            || (items == 0 && !cursor.full() && now - heldSince >= quietNanos));
  }

  void calm() {
    restless = false;
    cautious = false;
  }

  public int partition() {
    return partition;
  }

  /** The life of the relay in which the partition was taken. */
  public RelayIdentity owner() {
    return owner;
  }

  boolean enter(long seq) {
    return inFlight.add(seq);
  }

  void leave(long seq) {
    leaving.add(seq);
  }

  boolean enterDeferred(long seq, String handler) {
    return deferredInFlight.add(new DeferredRow(seq, handler));
  }

  /** A row that is known to be in the table only. */
  void reenterDeferred(long seq, String handler) {
    DeferredRow row = new DeferredRow(seq, handler);
    deferredInFlight.add(row);
    deferredLeaving.remove(row);
  }

  void leaveDeferred(long seq, String handler) {
    deferredLeaving.add(new DeferredRow(seq, handler));
  }

  /** Seqs that a read which begins there would return though they are in memory. */
  Set<Long> inFlightAbove(long seq) {
    return inFlight.tailSet(seq, false);
  }

  int deferredInFlightCount() {
    return deferredInFlight.size();
  }

  /** A read of ready rows begins: what was settled before it cannot be returned by it. */
  void readBegins() {
    leaving.forEach(inFlight::remove);
    leaving.clear();
  }

  /** The same for reads of deferred rows. */
  void deferredReadBegins() {
    deferredLeaving.forEach(deferredInFlight::remove);
    deferredLeaving.clear();
  }

  /** The handler's backlog, if it has one here. */
  @Nullable Backlog backlog(String handler) {
    return backlogs.get(handler);
  }

  Backlog openBacklog(HandlerQueue handler, long now) {
    return backlogs.computeIfAbsent(handler.name(), any -> new Backlog(this, handler, now));
  }

  void closeBacklog(HandlerQueue handler) {
    backlogs.remove(handler.name());
  }

  boolean drained() {
    return state == State.DRAINING && items == 0;
  }
}
