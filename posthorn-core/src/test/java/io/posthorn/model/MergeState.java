/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Fingerprint.Packer;
import io.posthorn.model.MergeCell.Other;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeCell.Row;
import io.posthorn.model.MergeCell.Transit;
import io.posthorn.model.MergeSetup.Budget;
import java.util.ArrayList;
import java.util.List;

/**
 * One state of the merge: the lane's messages, the memory of the relay that owns its partition, and
 * what is on its way between them. Steps change a copy; a state that has been reached is never
 * changed.
 */
final class MergeState {

  static final int NOWHERE = 7;

  /** Whose the partition is. Two owners at a time are ruled out by the lease model. */
  enum Partition {
    FREE,
    HELD,
    DRAINING
  }

  /** A message of another key, with the lowest seq. */
  enum Stray {
    NONE,
    DRAWN,
    READY,
    IN_MEMORY
  }

  /** What becomes of a message: of its ready row, or of its deferred one. */
  enum Outcome {
    LEAVES,
    SPLIT_DONE,
    SPLIT_HELD,
    SPLIT_RETRY,
    SPLIT_PASSED,
    SPLIT_GIVEN_BACK_AND_PASSED,
    ROW_DONE,
    ROW_RETRY,
    ROW_PASSED,
    ROW_NOTED,
    ROW_AS_IT_WAS;

    boolean isOfRow() {
      return this == ROW_DONE
          || this == ROW_RETRY
          || this == ROW_PASSED
          || this == ROW_NOTED
          || this == ROW_AS_IT_WAS;
    }

    /** Whether the deferred table has a row of the message then. */
    boolean writesRow() {
      return !isOfRow() && this != LEAVES && this != SPLIT_DONE;
    }
  }

  record Pending(int message, Outcome outcome) {}

  /**
   * The read under way, as its snapshot shows the tables. Sets of messages are masks.
   *
   * @param rows ready rows, or those of the lane in the deferred table; while it is planned, those
   *     that it leaves out
   * @param first the lane's first deferred row
   * @param later those of the lane that are not due
   * @param passed deferred rows that are due and stand in no lane
   * @param horizon up to which seq no row can appear any more
   */
  record Read(
      Kind kind,
      int rows,
      boolean stray,
      int first,
      int later,
      int passed,
      boolean cut,
      int horizon) {
    enum Kind {
      NONE,
      READY,
      /** One of deferred rows, which does not look at the table yet. */
      PLANNED,
      DEFERRED
    }

    static final Read NONE = new Read(Kind.NONE, 0, false, NOWHERE, 0, 0, false, 0);
  }

  final MergeSetup setup;
  final MergeRule rule;
  MergeCell[] cells;
  int published;
  Stray stray;
  int storedFloor;
  Budget budget;
  boolean crashed; // an observer's
  Partition partition = Partition.HELD;
  int floor;
  int readTo;
  boolean more = true;
  boolean surveyed;
  int closedBehind = NOWHERE;
  boolean resting;
  Read read = Read.NONE;
  List<Pending> outcomes = List.of();
  List<Pending> committed = List.of(); // the relay does not know it yet

  MergeState(MergeSetup setup, MergeRule rule) {
    this.setup = setup;
    this.rule = rule;
    this.budget = setup.budget();
    this.stray = setup.stray() ? Stray.DRAWN : Stray.NONE;
    this.cells = new MergeCell[setup.messages()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = new MergeCell();
    }
  }

  private MergeState(MergeState other) {
    this.setup = other.setup;
    this.rule = other.rule;
    this.published = other.published;
    this.stray = other.stray;
    this.storedFloor = other.storedFloor;
    this.budget = other.budget;
    this.crashed = other.crashed;
    this.cells = new MergeCell[other.cells.length];
  }

  MergeState copy() {
    MergeState copy = new MergeState(this);
    for (int i = 0; i < cells.length; i++) {
      copy.cells[i] = cells[i].copy();
    }
    copy.partition = partition;
    copy.floor = floor;
    copy.readTo = readTo;
    copy.more = more;
    copy.surveyed = surveyed;
    copy.closedBehind = closedBehind;
    copy.resting = resting;
    copy.read = read;
    copy.outcomes = outcomes;
    copy.committed = committed;
    return copy;
  }

  /** The tables, and a memory in which there is nothing. */
  MergeState withoutMemory(Partition next) {
    MergeState copy = new MergeState(this);
    for (int i = 0; i < cells.length; i++) {
      copy.cells[i] = cells[i].inTables();
    }
    copy.stray = stray == Stray.IN_MEMORY ? Stray.READY : stray;
    copy.partition = next;
    copy.floor = next == Partition.HELD ? storedFloor : 0;
    return copy;
  }

  boolean is(MergeRule other) {
    return rule == other;
  }

  /** The seq of a message; that of the stray one is 1. */
  static int seq(int message) {
    return message + 2;
  }

  // --- the tables

  /** The first row of the lane in the deferred table. */
  int firstRow() {
    return firstRowBut(NOWHERE);
  }

  /** The same, as one sees it who has deleted this row. */
  int firstRowBut(int deleted) {
    for (int i = 0; i < cells.length; i++) {
      if (i != deleted && cells[i].row.inLane()) {
        return i;
      }
    }
    return NOWHERE;
  }

  /** Gives the first row a time, if it has none. */
  void wake(int first) {
    if (first != NOWHERE && cells[first].row == Row.HELD && !is(MergeRule.SETTLE_GIVES_NO_TIME)) {
      cells[first].row = Row.DUE;
    }
  }

  // --- the lane in memory

  /** The next one to be delivered. */
  int head() {
    for (int i = 0; i < cells.length; i++) {
      boolean stays = cells[i].noted && !is(MergeRule.RETRY_GOES_BEFORE_THE_NOTED_MESSAGE);
      if (cells[i].queued() && stays) {
        return i;
      }
    }
    for (int i = 0; i < cells.length; i++) {
      if (cells[i].queued()) {
        return i;
      }
    }
    return NOWHERE;
  }

  boolean laneIsTaken() {
    for (MergeCell cell : cells) {
      if (cell.underWay() || cell.recording) {
        return true;
      }
    }
    return false;
  }

  void closeBehind(int message) {
    surveyed = true;
    closedBehind = Math.min(closedBehind, message);
  }

  /** Something of the lane has ended: is it forgotten? */
  void settleDown() {
    if (!isIdle()) {
      return;
    }
    if (closedBehind != NOWHERE && !is(MergeRule.CLOSED_LANE_IS_FORGOTTEN_AT_ONCE)) {
      resting = true;
    } else {
      forgetLane();
    }
  }

  void forgetLane() {
    surveyed = false;
    closedBehind = NOWHERE;
    resting = false;
  }

  boolean isIdle() {
    for (MergeCell cell : cells) {
      if (cell.phase != Phase.ABSENT || cell.recording || cell.transit == Transit.MOVING) {
        return false;
      }
    }
    return outcomes.stream().noneMatch(pending -> pending.outcome().isOfRow())
        && committed.stream().noneMatch(pending -> pending.outcome().isOfRow());
  }

  // --- what leaves the memory

  void add(int message, Outcome outcome) {
    List<Pending> more = new ArrayList<>(outcomes);
    more.add(new Pending(message, outcome));
    outcomes = List.copyOf(more);
    if (outcome.writesRow()) {
      cells[message].transit = Transit.MOVING;
    }
  }

  /** The ready row is split; whoever has the message in memory goes on with a row of its own. */
  void split(int message) {
    MergeCell cell = cells[message];
    cell.other = Other.NONE;
    if (cell.delivered) {
      cell.delivered = false;
      add(message, Outcome.SPLIT_DONE);
    } else {
      cell.ownRow = true;
      cell.awaitsRow = true;
      cell.rowKnown = true;
      add(message, Outcome.SPLIT_HELD);
    }
  }

  /** A queued message goes back to the tables. */
  void giveBack(int message) {
    MergeCell cell = cells[message];
    cell.phase = Phase.ABSENT;
    closeBehind(message);
    if (cell.ownRow) {
      dropRow(message);
    } else {
      cell.other = Other.NONE;
      boolean passed = setup.passes() && is(MergeRule.WHAT_IS_GIVEN_BACK_IS_PASSED);
      add(message, passed ? Outcome.SPLIT_GIVEN_BACK_AND_PASSED : Outcome.SPLIT_HELD);
    }
  }

  /** A deferred row is only in the table from now on. */
  void dropRow(int message) {
    MergeCell cell = cells[message];
    cell.ownRow = false;
    cell.awaitsRow = false;
    if (!cell.noted) {
      rowLeaves(message);
    } else if (!cell.recording) {
      becomesWhatItWas(message);
    }
  }

  /** It was noted that the message is delivered next, which is not so any more. */
  void becomesWhatItWas(int message) {
    cells[message].noted = false;
    add(message, Outcome.ROW_AS_IT_WAS);
  }

  void rowLeaves(int message) {
    cells[message].rowLeaving = true;
  }

  /** The floor for the next owner: nothing that is in the ready table is below it. */
  int floorToStore() {
    int lowest = floor;
    if (!is(MergeRule.STORED_FLOOR_PASSES_WHAT_IS_IN_MEMORY)) {
      for (int i = 0; i < cells.length; i++) {
        lowest = cells[i].known ? Math.min(lowest, seq(i) - 1) : lowest;
      }
      lowest = stray == Stray.IN_MEMORY ? 0 : lowest;
    }
    return lowest;
  }

  Fingerprint fingerprint() {
    long[] words = new long[cells.length + 4];
    for (int i = 0; i < cells.length; i++) {
      words[i] = cells[i].word();
    }
    Packer packer = new Packer().put(published, 3).put(stray, 2).put(partition, 2).put(crashed);
    packer.put(storedFloor, 3).put(floor, 3).put(readTo, 3).put(more).put(surveyed).put(resting);
    packer.put(closedBehind, 3).put(budget.failures(), 2).put(budget.crashes(), 2);
    packer.put(budget.handOvers(), 2).put(budget.spills(), 2).put(budget.lostAnswers(), 2);
    words[cells.length] = packer.word();
    words[cells.length + 1] =
        new Packer()
            .put(read.kind(), 2)
            .put(read.rows(), 5)
            .put(read.stray())
            .put(read.first(), 3)
            .put(read.later(), 5)
            .put(read.passed(), 5)
            .put(read.cut())
            .put(read.horizon(), 3)
            .word();
    words[cells.length + 2] = word(outcomes);
    words[cells.length + 3] = word(committed);
    return new Fingerprint(words);
  }

  private static long word(List<Pending> list) {
    Packer packer = new Packer().put(list.size(), 4);
    list.forEach(pending -> packer.put(pending.message(), 2).put(pending.outcome(), 4));
    return packer.word();
  }
}
