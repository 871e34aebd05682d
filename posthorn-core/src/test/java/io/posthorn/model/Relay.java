/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.Collections;
import java.util.List;

/**
 * The memory of one relay.
 *
 * @param incarnation the number of its last join
 * @param holdings for each partition what the relay believes about it
 */
record Relay(
    Mode mode,
    int incarnation,
    boolean paused,
    Lease lease,
    Survey survey,
    List<Holding> holdings,
    Work work) {

  enum Mode {
    OUT,
    JOINED,
    STOPPING
  }

  /** The relay's own deadline, and the heartbeat under way. */
  record Lease(boolean deadlinePassed, Heartbeat heartbeat) {
    static final Lease NEW = new Lease(false, Heartbeat.NONE);
  }

  /** Late: the time noted before sending has grown older than a lease. */
  enum Heartbeat {
    NONE,
    SENT,
    SENT_LATE,
    STORED,
    STORED_LATE,
    /** No row was updated. */
    REFUSED
  }

  record Holding(Grip grip, int epoch) {

    static final Holding NONE = new Holding(Grip.NONE, 0);

    enum Grip {
      NONE,
      OWNED,
      DRAINING,
      /** Given up, but the answer to the release was lost: it must be tried again. */
      RELEASING
    }

    boolean believedOwned() {
      return grip == Grip.OWNED || grip == Grip.DRAINING;
    }

    Holding as(Grip other) {
      return new Holding(other, epoch);
    }
  }

  static Relay outside(int partitions) {
    List<Holding> nothing = Collections.nCopies(partitions, Holding.NONE);
    return new Relay(Mode.OUT, 0, false, Lease.NEW, Survey.NONE, List.copyOf(nothing), Work.NONE);
  }

  boolean out() {
    return mode == Mode.OUT;
  }

  Holding holding(int partition) {
    return holdings.get(partition);
  }

  boolean owns(int partition) {
    return holding(partition).grip() == Holding.Grip.OWNED;
  }

  boolean holdsNothing() {
    return holdings.stream().allMatch(holding -> holding.grip() == Holding.Grip.NONE);
  }

  Relay join() {
    return new Relay(Mode.JOINED, incarnation + 1, paused, Lease.NEW, survey, holdings, work);
  }

  /** Leaves, or has been expelled: everything is dropped but what workers have in hand. */
  Relay drop(int inHand) {
    Relay fresh = outside(holdings.size());
    return new Relay(
        Mode.OUT,
        incarnation,
        paused,
        Lease.NEW,
        Survey.NONE,
        fresh.holdings,
        work.dropped(inHand));
  }

  Relay withMode(Mode other) {
    return new Relay(other, incarnation, paused, lease, survey, holdings, work);
  }

  Relay withPaused(boolean other) {
    return new Relay(mode, incarnation, other, lease, survey, holdings, work);
  }

  Relay with(Lease other) {
    return new Relay(mode, incarnation, paused, other, survey, holdings, work);
  }

  Relay with(Survey other) {
    return new Relay(mode, incarnation, paused, lease, other, holdings, work);
  }

  Relay with(Work other) {
    return new Relay(mode, incarnation, paused, lease, survey, holdings, other);
  }

  Relay withHolding(int partition, Holding holding) {
    List<Holding> others = Database.replaced(holdings, partition, holding);
    return new Relay(mode, incarnation, paused, lease, survey, others, work);
  }
}
