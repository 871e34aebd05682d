/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Fingerprint.Packer;

/** One message of the lane: its rows, what an observer saw of it, and what the relay has of it. */
final class MergeCell {

  /** Its row in the deferred table. Only those that are not passed stand in the lane. */
  enum Row {
    NONE,
    /** Without a time. */
    HELD,
    DUE,
    LATER,
    PASSED_DUE,
    PASSED_LATER;

    boolean inLane() {
      return this == HELD || this == DUE || this == LATER;
    }
  }

  enum Phase {
    ABSENT,
    QUEUED,
    RUNNING,
    /** The handler's transaction has deleted its row, or found none, and is open. */
    DELETED,
    /** The handler's transaction has committed; the relay does not know it yet. */
    COMMITTED
  }

  /** The part of another handler in a ready row. */
  enum Other {
    NONE,
    OPEN,
    DONE
  }

  /** Whether a row is on its way to the deferred table, or has arrived during a read of it. */
  enum Transit {
    NONE,
    MOVING,
    ARRIVED
  }

  // the tables
  boolean ready;
  Row row = Row.NONE;

  // an observer
  int done; // deliveries that took effect
  boolean failed;

  // the relay's memory
  Phase phase = Phase.ABSENT;
  boolean ownRow; // it has a deferred row, or will have
  boolean awaitsRow; // that is on its way
  boolean commitInDoubt;
  boolean finds; // the open transaction has found its row
  int wakes = MergeState.NOWHERE; // the row to which the open transaction gives a time
  boolean noted;
  boolean recording;
  boolean delivered; // and waits for the other handler
  Other other = Other.NONE;
  boolean known;
  boolean leaving; // the ready row is settled; it is known until the next read begins
  boolean rowKnown;
  boolean rowLeaving;
  Transit transit = Transit.NONE;

  MergeCell copy() {
    MergeCell copy = inTables();
    copy.phase = phase;
    copy.ownRow = ownRow;
    copy.awaitsRow = awaitsRow;
    copy.commitInDoubt = commitInDoubt;
    copy.finds = finds;
    copy.wakes = wakes;
    copy.noted = noted;
    copy.recording = recording;
    copy.delivered = delivered;
    copy.other = other;
    copy.known = known;
    copy.leaving = leaving;
    copy.rowKnown = rowKnown;
    copy.rowLeaving = rowLeaving;
    copy.transit = transit;
    return copy;
  }

  /** What is left of it when the relay has forgotten everything. */
  MergeCell inTables() {
    MergeCell copy = new MergeCell();
    copy.ready = ready;
    copy.row = row;
    copy.done = done;
    copy.failed = failed;
    return copy;
  }

  boolean queued() {
    return phase == Phase.QUEUED;
  }

  /** A worker has it. */
  boolean underWay() {
    return phase != Phase.ABSENT && phase != Phase.QUEUED;
  }

  long word() {
    return new Packer()
        .put(ready)
        .put(row, 3)
        .put(done, 2)
        .put(failed)
        .put(phase, 3)
        .put(ownRow)
        .put(awaitsRow)
        .put(commitInDoubt)
        .put(finds)
        .put(wakes, 3)
        .put(noted)
        .put(recording)
        .put(delivered)
        .put(other, 2)
        .put(known)
        .put(leaving)
        .put(rowKnown)
        .put(rowLeaving)
        .put(transit, 2)
        .word();
  }
}
