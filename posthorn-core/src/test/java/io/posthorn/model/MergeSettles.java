/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeCell.Row;
import io.posthorn.model.MergeCell.Transit;
import io.posthorn.model.MergeModel.Choice;
import io.posthorn.model.MergeState.Outcome;
import io.posthorn.model.MergeState.Pending;
import io.posthorn.model.MergeState.Read;
import java.util.ArrayList;
import java.util.List;

/** Outcomes are committed in order, some or all, and the relay learns of it later. */
final class MergeSettles {

  private MergeSettles() {}

  static void addSteps(Choice choice) {
    MergeState state = choice.state();
    if (!state.committed.isEmpty()) {
      choice.add(Kind.ANSWER_SETTLE, answered(state));
      return;
    }
    int size = state.outcomes.size();
    if (size > 0) {
      commit(choice, Kind.SETTLE_ALL, 0, size);
    }
    if (size > 1) {
      commit(choice, Kind.SETTLE_ONE, 0, 1);
    }
    if (size > 1 && state.is(MergeRule.OUTCOME_OVERTAKES_ITS_SPLIT)) {
      commit(choice, Kind.SETTLE_ONE, size - 1, size);
    }
  }

  private static void commit(Choice choice, Kind kind, int from, int to) {
    MergeState state = choice.state();
    List<Pending> group = state.outcomes.subList(from, to);
    boolean lane = group.stream().anyMatch(MergeSettles::changesLane);
    if (lane && isLocked(state)) {
      return;
    }
    MergeState after = state.copy();
    group.forEach(pending -> store(after.cells[pending.message()], pending.outcome()));
    if (lane) {
      after.wake(after.firstRow()); // what an open transaction has deleted is still seen
    }
    List<Pending> rest = new ArrayList<>(state.outcomes);
    rest.subList(from, to).clear();
    after.outcomes = List.copyOf(rest);
    after.committed = List.copyOf(group);
    choice.add(kind, group.get(0).message(), after);
  }

  private static boolean changesLane(Pending pending) {
    return pending.outcome() != Outcome.LEAVES && pending.outcome() != Outcome.SPLIT_DONE;
  }

  /** A handler's transaction has locked the first row, and its own. */
  private static boolean isLocked(MergeState state) {
    for (MergeCell cell : state.cells) {
      if (deletes(cell) && !state.is(MergeRule.FIRST_ROW_IS_NOT_LOCKED)) {
        return true;
      }
    }
    return false;
  }

  private static boolean deletes(MergeCell cell) {
    return cell.phase == Phase.DELETED && cell.ownRow && cell.finds;
  }

  private static void store(MergeCell cell, Outcome outcome) {
    switch (outcome) {
      case LEAVES, SPLIT_DONE -> cell.ready = false;
      case SPLIT_HELD -> move(cell, Row.HELD);
      case SPLIT_RETRY -> move(cell, Row.LATER);
      case SPLIT_PASSED -> move(cell, Row.PASSED_LATER);
      case SPLIT_GIVEN_BACK_AND_PASSED -> move(cell, Row.PASSED_DUE);
      case ROW_DONE -> cell.row = Row.NONE;
      case ROW_RETRY -> change(cell, Row.LATER);
      case ROW_PASSED -> change(cell, Row.PASSED_LATER);
      case ROW_NOTED, ROW_AS_IT_WAS -> change(cell, cell.row.inLane() ? Row.DUE : Row.PASSED_DUE);
    }
  }

  private static void move(MergeCell cell, Row row) {
    if (cell.ready) {
      cell.ready = false;
      cell.row = row;
    }
  }

  private static void change(MergeCell cell, Row row) {
    cell.row = cell.row == Row.NONE ? Row.NONE : row;
  }

  private static MergeState answered(MergeState state) {
    MergeState after = state.copy();
    after.committed = List.of();
    for (Pending pending : state.committed) {
      MergeCell cell = after.cells[pending.message()];
      switch (pending.outcome()) {
        case ROW_NOTED -> recorded(after, pending.message());
        case ROW_DONE, ROW_RETRY, ROW_PASSED, ROW_AS_IT_WAS -> after.rowLeaves(pending.message());
        default -> {
          cell.leaving = true;
          cell.awaitsRow = false;
          if (pending.outcome().writesRow()) {
            Read.Kind reads = state.read.kind();
            boolean reading = reads == Read.Kind.PLANNED || reads == Read.Kind.DEFERRED;
            cell.transit = reading ? Transit.ARRIVED : Transit.NONE;
          }
        }
      }
    }
    after.settleDown();
    return after;
  }

  /** If it is not the next one any more, its partition is being given up. */
  private static void recorded(MergeState after, int message) {
    after.cells[message].recording = false;
    if (after.head() != message) {
      after.becomesWhatItWas(message);
    }
  }
}
