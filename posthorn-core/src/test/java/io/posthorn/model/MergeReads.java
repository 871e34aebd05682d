/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Other;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeCell.Row;
import io.posthorn.model.MergeCell.Transit;
import io.posthorn.model.MergeModel.Choice;
import io.posthorn.model.MergeState.Outcome;
import io.posthorn.model.MergeState.Partition;
import io.posthorn.model.MergeState.Read;
import io.posthorn.model.MergeState.Stray;

/** Reads of ready and of deferred rows; one thread does both. */
final class MergeReads {

  private MergeReads() {}

  static void addSteps(Choice choice) {
    MergeState state = choice.state();
    switch (state.read.kind()) {
      case NONE -> {
        if (state.partition == Partition.HELD) {
          beginReady(choice, false);
          beginReady(choice, true);
          beginDeferred(choice);
        }
      }
      case READY -> choice.add(Kind.RETURN_READ, readyReturned(state));
      case PLANNED -> {
        look(choice, false);
        look(choice, true);
      }
      case DEFERRED -> choice.add(Kind.RETURN_DUE_READ, deferredReturned(state));
    }
  }

  // --- ready rows

  private static void beginReady(Choice choice, boolean shortly) {
    MergeState after = choice.state().copy();
    for (MergeCell cell : after.cells) {
      cell.known &= !cell.leaving;
      cell.leaving = false;
    }
    if (after.resting && after.isIdle()) {
      after.forgetLane();
    }
    after.resting = false;
    boolean stray = after.stray == Stray.READY && after.floor < 1;
    int rows = 0;
    for (int i = 0; i < after.cells.length; i++) {
      boolean wanted = after.cells[i].ready && !after.cells[i].known;
      rows |= wanted && MergeState.seq(i) > after.floor ? 1 << i : 0;
    }
    int all = Integer.bitCount(rows) + (stray ? 1 : 0);
    if (shortly && all < 2) {
      return; // the same as the other read
    }
    if (shortly) {
      rows = stray ? 0 : Integer.lowestOneBit(rows);
    }
    boolean open =
        after.stray == Stray.DRAWN && !after.is(MergeRule.FLOOR_PASSES_AN_OPEN_TRANSACTION);
    int horizon = after.setup.stray() && !open ? after.published + 1 : 0;
    after.read = new Read(Read.Kind.READY, rows, stray, after.firstRow(), 0, 0, shortly, horizon);
    choice.add(shortly ? Kind.BEGIN_SHORT_READ : Kind.BEGIN_READ, after);
  }

  private static MergeState readyReturned(MergeState state) {
    MergeState after = state.copy();
    Read read = state.read;
    after.read = Read.NONE;
    if (after.partition != Partition.HELD) {
      return after;
    }
    int last = 0;
    if (read.stray()) {
      after.stray = Stray.IN_MEMORY;
      last = 1;
    }
    for (int i = 0; i < after.cells.length; i++) {
      if ((read.rows() & (1 << i)) != 0) {
        last = MergeState.seq(i);
        if (!after.cells[i].known) {
          after.cells[i].known = true;
          offer(after, i, read.first());
        }
      }
    }
    after.more = read.cut();
    if (read.cut()) {
      after.readTo = Math.max(after.readTo, last);
      after.floor = Math.max(after.floor, Math.min(last, read.horizon()));
    } else {
      after.floor = Math.max(after.floor, read.horizon());
    }
    return after;
  }

  private static void offer(MergeState after, int message, int first) {
    MergeCell cell = after.cells[message];
    boolean shared = after.setup.isShared(message);
    if (!after.surveyed && !after.is(MergeRule.READY_READ_ASKS_FOR_NO_DEFERRED_ROWS)) {
      after.closeBehind(first);
    }
    if (message > after.closedBehind) {
      after.add(message, Outcome.SPLIT_HELD);
      return;
    }
    cell.phase = Phase.QUEUED;
    cell.other = shared ? Other.OPEN : Other.NONE;
    boolean apart =
        shared
            && after.setup.isTransactional()
            && !after.is(MergeRule.TRANSACTIONAL_HANDLER_SHARES_ITS_ROW);
    if (apart || after.setup.isWatched()) {
      after.split(message);
    }
  }

  // --- deferred rows

  /** What is in memory then is left out by the read, whatever becomes of it meanwhile. */
  private static void beginDeferred(Choice choice) {
    MergeState after = choice.state().copy();
    int known = 0;
    for (int i = 0; i < after.cells.length; i++) {
      MergeCell cell = after.cells[i];
      cell.rowKnown &= !cell.rowLeaving;
      cell.rowLeaving = false;
      cell.transit = cell.transit == Transit.ARRIVED ? Transit.NONE : cell.transit;
      known |= cell.rowKnown ? 1 << i : 0;
    }
    after.read = new Read(Read.Kind.PLANNED, known, false, MergeState.NOWHERE, 0, 0, false, 0);
    choice.add(Kind.BEGIN_DUE_READ, after);
  }

  /** The first row of the lane, if it is due, with those behind it; and those that are passed. */
  private static void look(Choice choice, boolean shortly) {
    MergeState after = choice.state().copy();
    int known = after.read.rows();
    int first = after.firstRow();
    boolean due =
        first != MergeState.NOWHERE
            && after.cells[first].row == Row.DUE
            && (known & (1 << first)) == 0;
    int rows = 0;
    int later = 0;
    int passed = 0;
    for (int i = 0; i < after.cells.length; i++) {
      Row row = after.cells[i].row;
      rows |= due && row.inLane() ? 1 << i : 0;
      later |= due && row == Row.LATER ? 1 << i : 0;
      passed |= row == Row.PASSED_DUE && (known & (1 << i)) == 0 ? 1 << i : 0;
    }
    if (shortly && Integer.bitCount(rows) < 2) {
      return; // the same as the other look
    }
    rows = shortly ? Integer.lowestOneBit(rows) : rows;
    after.read = new Read(Read.Kind.DEFERRED, rows, false, first, later, passed, shortly, 0);
    choice.add(shortly ? Kind.SHORT_LOOK : Kind.LOOK, after);
  }

  private static MergeState deferredReturned(MergeState state) {
    MergeState after = state.copy();
    Read read = state.read;
    int missed = firstMissed(after);
    for (MergeCell cell : after.cells) {
      cell.transit = cell.transit == Transit.ARRIVED ? Transit.NONE : cell.transit;
    }
    after.read = Read.NONE;
    if (after.partition != Partition.HELD) {
      return after;
    }
    if (read.rows() != 0) {
      takeLane(after, read, missed);
    }
    for (int i = 0; i < after.cells.length; i++) {
      if ((read.passed() & (1 << i)) != 0) {
        take(after, i);
      }
    }
    after.settleDown();
    return after;
  }

  /** The first row that the read may have missed: it was on its way, or still is. */
  private static int firstMissed(MergeState state) {
    for (int i = 0; i < state.cells.length; i++) {
      boolean onItsWay = state.cells[i].transit != Transit.NONE;
      if (onItsWay && !state.is(MergeRule.DUE_READ_COUNTS_FOR_ROWS_ON_THEIR_WAY)) {
        return i;
      }
    }
    return MergeState.NOWHERE;
  }

  private static void takeLane(MergeState after, Read read, int missed) {
    int behind = Integer.numberOfTrailingZeros(Integer.highestOneBit(read.rows())) + 1;
    int missing = read.cut() ? Math.min(missed, behind) : missed;
    for (int i = 0; i < after.cells.length; i++) {
      if ((read.rows() & (1 << i)) == 0) {
        continue;
      }
      boolean due = (read.later() & (1 << i)) == 0;
      if (!due || i >= missed || !readerHasPassed(after, i) || !take(after, i)) {
        missing = Math.min(missing, i);
        break;
      }
    }
    after.closedBehind = missing;
    after.surveyed = true;
  }

  private static boolean readerHasPassed(MergeState after, int message) {
    return !after.more
        || MergeState.seq(message) <= after.readTo
        || after.is(MergeRule.DEFERRED_ROW_DOES_NOT_WAIT_FOR_THE_READER);
  }

  private static boolean take(MergeState after, int message) {
    MergeCell cell = after.cells[message];
    if (cell.rowKnown) {
      return false;
    }
    cell.rowKnown = true;
    cell.ownRow = true;
    cell.phase = Phase.QUEUED;
    return true;
  }
}
