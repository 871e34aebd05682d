/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One partition in one epoch of this relay's ownership. All but the final fields and the state are
 * guarded by the memory's lock.
 *
 * <p>Rows become visible out of seq order, so every read begins at a floor below which nothing can
 * appear any more: a snapshot that shows a row shows the earlier ones of its key too. A seq stays
 * in the set of known ones beyond its settling, until the next read begins: a read that began
 * before the settle committed may still return the row.
 */
public final class HeldPartition {
  /** LOADING → HELD → DRAINING → GONE; from each straight to GONE when the relay is expelled. */
  private enum State {
    LOADING,
    HELD,
    DRAINING,
    GONE
  }

  private static final int CRASHES_THAT_ALARM = 2;
  private static final long UNKNOWN = -1;

  private final int partition;
  private final long epoch;
  private final RelayIdentity owner;
  private final long heldSince;
  private final SeqSet known = new SeqSet();
  private final LongList leaving = new LongList();
  private final Set<Long> doubtful = new HashSet<>(); // seqs whose row may be another one by now
  private final List<Lane> lanesLeaving = new ArrayList<>();
  private final DeferredRows deferredRows;
  private volatile State state = State.LOADING;
  private boolean cautious; // its owners died at work again and again: one message at a time
  private boolean restless; // an owner died, and it has not come to rest since
  private int settledRows;
  private int items; // messages in memory, settled ones excluded
  private long floor;
  private long storedFloor;
  private long readTo; // rows up to this seq have been read
  private boolean more = true; // there may be rows that have not been read
  private boolean lowered; // the floor, since the last read began
  private boolean deferredAhead; // deferred rows wait until ready rows before them have been read

  HeldPartition(RelayIdentity owner, PartitionOwner row, long now) {
    this.heldSince = now;
    this.deferredRows = new DeferredRows(now);
    this.owner = owner;
    this.partition = row.partition();
    this.epoch = row.epoch();
    this.restless = row.crashes() > 0;
    this.cautious = row.crashes() >= CRASHES_THAT_ALARM;
    this.floor = row.floor();
    this.storedFloor = row.floor();
  }

  public int partition() {
    return partition;
  }

  /** The life of the relay in which the partition was taken. */
  RelayIdentity owner() {
    return owner;
  }

  long epoch() {
    return epoch;
  }

  // --- its life

  boolean isLoading() {
    return state == State.LOADING;
  }

  boolean isHeld() {
    return state == State.HELD;
  }

  boolean isDraining() {
    return state == State.DRAINING;
  }

  boolean isGone() {
    return state == State.GONE;
  }

  void loaded() {
    if (state == State.LOADING) {
      state = State.HELD;
    }
  }

  void drain() {
    if (state == State.GONE) {
      throw new IllegalStateException("partition " + partition + " has been given up");
    }
    state = State.DRAINING;
  }

  void goes() {
    state = State.GONE;
  }

  boolean isDrained() {
    return state == State.DRAINING && items == 0;
  }

  boolean isCautious() {
    return cautious;
  }

  boolean isRestless() {
    return restless;
  }

  /**
   * Whether what killed its last owners is no longer among what it has: everything was settled, or
   * as much as an owner has in memory.
   */
  boolean isAtRest(long now, long quietNanos, int window) {
    return state == State.HELD
        && (settledRows >= window || (items == 0 && !more && now - heldSince >= quietNanos));
  }

  void calm() {
    restless = false;
    cautious = false;
  }

  // --- what is in memory

  void itemAdded() {
    items++;
  }

  void itemRemoved() {
    items--;
  }

  void itemSettled() {
    items--;
    settledRows++;
  }

  /** A ready row comes to memory; false if it is there already or has just left. */
  boolean enter(long seq) {
    return known.add(seq);
  }

  /** A ready row has been settled. */
  void leave(long seq) {
    leaving.add(seq);
    if (!doubtful.isEmpty() && doubtful.remove(seq)) {
      lowerFloor(seq);
    }
  }

  /** Adds the seqs that a read from the floor would return though they are in memory. */
  void addKnown(LongList to) {
    known.copyTo(to, floor, Long.MAX_VALUE);
  }

  /** The same for a range below the floor. */
  void addKnown(LongList to, long after, long last) {
    known.copyTo(to, after, last);
  }

  DeferredRows deferredRows() {
    return deferredRows;
  }

  /** A closed lane has come to rest; it is forgotten when the next read begins. */
  void laneLeaves(Lane lane) {
    lanesLeaving.add(lane);
  }

  /**
   * A read of ready rows begins: what was settled before it cannot be returned by it.
   *
   * @return closed lanes that had come to rest before it: the read tells whether they have rows
   */
  List<Lane> readBegins() {
    if (!leaving.isEmpty()) {
      known.removeAll(leaving);
      leaving.clear();
    }
    lowered = false;
    if (lanesLeaving.isEmpty()) {
      return List.of();
    }
    List<Lane> lanes = List.copyOf(lanesLeaving);
    lanesLeaving.clear();
    return lanes;
  }

  // --- how far it has been read

  long floor() {
    return floor;
  }

  /** Whether there may be rows that have not been read. */
  boolean hasMore() {
    return more;
  }

  /** A read of it returned rows up to this seq (zero: none), and left others. */
  void readPart(long last, long passed) {
    more = true;
    if (last > 0 && !lowered) {
      readTo = Math.max(readTo, last);
      floor = Math.max(floor, Math.min(last, passed));
    }
  }

  /** A read of it returned all there was; rows up to the passed seq cannot appear any more. */
  void readAll(long passed) {
    more = lowered; // then it began too high
    floor = lowered ? floor : Math.max(floor, passed);
  }

  /** A row was found below the floor: reads begin there. */
  void lowerFloor(long seq) {
    floor = Math.min(floor, seq - 1);
    readTo = Math.min(readTo, floor);
    more = true;
    lowered = true;
  }

  /**
   * Only what is stored says where rows may appear. What is in memory may be lost there, and its
   * seq drawn a second time: when it has been settled, it is read once more.
   */
  void resetFloor(long stored) {
    floor = stored;
    storedFloor = UNKNOWN;
    readTo = stored; // deferred rows wait for ready ones that may appear before them
    more = true;
    lowered = true;
    for (long seq : known.toArray()) {
      doubtful.add(seq);
    }
  }

  /** Whether all ready rows before this seq have been read, so that a deferred one may go. */
  boolean mayDeliverDeferred(long seq) {
    boolean passed = !more || seq <= readTo;
    deferredAhead |= !passed;
    return passed;
  }

  /** Whether deferred rows wait for ready ones to be read; asked once. */
  boolean pollDeferredAhead() {
    boolean ahead = deferredAhead;
    deferredAhead = false;
    return ahead;
  }

  /** The floor for whoever comes next: nothing that is still in the ready table is below it. */
  long floorToStore() {
    return known.isEmpty() ? floor : Math.min(floor, known.first() - 1);
  }

  /**
   * Whether the floor has risen by so much since it was stored. It may also be lower than the
   * stored one: this one was lowered, perhaps while an earlier one was being stored.
   */
  boolean hasFloorToStore(long rise) {
    long current = floorToStore();
    return storedFloor == UNKNOWN || current < storedFloor || current - storedFloor >= rise;
  }

  void floorStored(long stored) {
    storedFloor = stored;
  }
}
