/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Other;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeModel.Choice;
import io.posthorn.model.MergeState.Outcome;
import io.posthorn.model.MergeState.Partition;
import io.posthorn.model.MergeState.Stray;

/** Deliveries to the lane's handler, and what the other handler does with shared messages. */
final class MergeDeliveries {

  private MergeDeliveries() {}

  static void addSteps(Choice choice) {
    MergeState state = choice.state();
    start(choice);
    for (int i = 0; i < state.cells.length; i++) {
      if (state.cells[i].phase == Phase.RUNNING) {
        end(choice, i);
      }
      if (state.cells[i].other == Other.OPEN) {
        other(choice, i);
      }
    }
    if (state.stray == Stray.IN_MEMORY) {
      MergeState after = state.copy();
      after.stray = Stray.NONE;
      choice.add(Kind.DELIVER_STRAY, after);
    }
  }

  private static void start(Choice choice) {
    MergeState state = choice.state();
    int head = state.head();
    if (head == MergeState.NOWHERE
        || state.laneIsTaken()
        || state.partition != Partition.HELD
        || (state.cells[head].awaitsRow && needsOwnRow(state))) {
      return;
    }
    MergeState after = state.copy();
    MergeCell cell = after.cells[head];
    if (state.setup.isWatched() && !cell.noted) {
      cell.noted = true;
      cell.recording = true;
      after.add(head, Outcome.ROW_NOTED);
      choice.add(Kind.NOTE, head, after);
    } else {
      cell.phase = Phase.RUNNING;
      cell.noted = false;
      choice.add(Kind.START, head, after);
    }
  }

  private static boolean needsOwnRow(MergeState state) {
    return state.setup.isTransactional() || state.setup.isWatched();
  }

  private static void end(Choice choice, int message) {
    MergeState state = choice.state();
    if (!state.setup.isTransactional()) {
      MergeState after = state.copy();
      succeeded(after, message);
      choice.add(Kind.END, message, after);
    }
    if (state.budget.failures() > 0) {
      MergeState after = state.copy();
      after.budget = state.budget.withFailures(state.budget.failures() - 1);
      failed(after, message);
      choice.add(Kind.FAIL, message, after);
    }
  }

  private static void succeeded(MergeState after, int message) {
    MergeCell cell = after.cells[message];
    cell.phase = Phase.ABSENT;
    cell.done = Math.min(2, cell.done + 1);
    if (cell.ownRow) {
      cell.ownRow = false;
      cell.awaitsRow = false;
      after.add(message, Outcome.ROW_DONE);
    } else if (cell.other == Other.OPEN) {
      cell.delivered = true;
    } else {
      cell.other = Other.NONE;
      after.add(message, Outcome.LEAVES);
    }
    after.settleDown();
  }

  private static void failed(MergeState after, int message) {
    MergeCell cell = after.cells[message];
    boolean passed = after.setup.passes() || after.is(MergeRule.EVERY_FAILURE_IS_PASSED);
    cell.phase = Phase.ABSENT;
    cell.failed = true;
    cell.other = Other.NONE;
    if (cell.ownRow) {
      cell.ownRow = false;
      cell.awaitsRow = false;
      after.add(message, passed ? Outcome.ROW_PASSED : Outcome.ROW_RETRY);
    } else {
      after.add(message, passed ? Outcome.SPLIT_PASSED : Outcome.SPLIT_RETRY);
    }
    if (!passed && !after.is(MergeRule.FAILURE_LEAVES_ITS_LANE_OPEN)) {
      after.closeBehind(message);
      for (int i = 0; i < after.cells.length; i++) {
        if (after.cells[i].queued()) {
          after.giveBack(i);
        }
      }
    }
    after.settleDown();
  }

  private static void other(Choice choice, int message) {
    MergeState state = choice.state();
    MergeState done = state.copy();
    done.cells[message].other = Other.DONE;
    if (done.cells[message].delivered) {
      done.cells[message].delivered = false;
      done.cells[message].other = Other.NONE;
      done.add(message, Outcome.LEAVES);
    }
    choice.add(Kind.OTHER_ENDS, message, done);
    if (state.budget.failures() > 0) {
      MergeState failed = state.copy();
      failed.budget = state.budget.withFailures(state.budget.failures() - 1);
      failed.split(message);
      choice.add(Kind.OTHER_FAILS, message, failed);
    }
  }
}
