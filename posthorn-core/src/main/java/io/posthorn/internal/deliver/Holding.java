/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.RelayIdentity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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

  /** A deferred row without a key that is in memory. */
  private record DeferredRow(long seq, String handler) {}

  final int partition;
  final long epoch;
  final RelayIdentity owner;
  final Cursor cursor;
  private final Set<Long> inFlight = new HashSet<>();
  private final List<Long> leaving = new ArrayList<>();
  private final Set<DeferredRow> deferredInFlight = new HashSet<>();
  private final List<DeferredRow> deferredLeaving = new ArrayList<>();
  volatile State state = State.LOADING;
  int items; // messages in memory, settled ones excluded

  Holding(RelayIdentity owner, int partition, long epoch, Cursor cursor) {
    this.cursor = cursor;
    this.owner = owner;
    this.partition = partition;
    this.epoch = epoch;
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

  void leaveDeferred(long seq, String handler) {
    deferredLeaving.add(new DeferredRow(seq, handler));
  }

  Set<Long> inFlight() {
    return inFlight;
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

  boolean drained() {
    return state == State.DRAINING && items == 0;
  }
}
