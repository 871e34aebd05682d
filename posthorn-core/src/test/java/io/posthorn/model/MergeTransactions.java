/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeCell.Row;
import io.posthorn.model.MergeModel.Choice;
import io.posthorn.model.MergeState.Outcome;

/** Transactional deliveries: the effect and the end of the row commit together. */
final class MergeTransactions {

  private MergeTransactions() {}

  static void addSteps(Choice choice) {
    MergeState state = choice.state();
    for (int i = 0; i < state.cells.length && state.setup.isTransactional(); i++) {
      switch (state.cells[i].phase) {
        case RUNNING -> delete(choice, i);
        case DELETED -> commit(choice, i);
        case COMMITTED -> answer(choice, i);
        default -> {
          // Not there, or not begun.
        }
      }
    }
  }

  /** Locks the first row of the lane too, if the row is one of a lane. */
  private static void delete(Choice choice, int message) {
    MergeState after = choice.state().copy();
    MergeCell cell = after.cells[message];
    cell.phase = Phase.DELETED;
    cell.finds = cell.ownRow ? cell.row != Row.NONE : cell.ready;
    cell.wakes = cell.ownRow && cell.finds ? after.firstRowBut(message) : MergeState.NOWHERE;
    choice.add(Kind.DELETE_IN_TRANSACTION, message, after);
  }

  private static void commit(Choice choice, int message) {
    MergeState state = choice.state();
    MergeState after = state.copy();
    MergeCell cell = after.cells[message];
    boolean counts = cell.finds || state.is(MergeRule.MISSING_ROW_IS_NOT_NOTICED);
    cell.done = Math.min(2, cell.done + (counts ? 1 : 0));
    cell.phase = Phase.COMMITTED;
    if (cell.finds && !state.is(MergeRule.EFFECT_COMMITS_WITHOUT_ITS_ROW)) {
      end(after, message);
    }
    choice.add(Kind.COMMIT_DELIVERY, message, after);
    if (cell.finds && state.budget.lostAnswers() > 0) {
      MergeState lost = after.copy();
      lost.budget = state.budget.withLostAnswers(state.budget.lostAnswers() - 1);
      lost.cells[message].commitInDoubt = true;
      lost.cells[message].phase = Phase.QUEUED;
      lost.cells[message].finds = false;
      lost.cells[message].wakes = MergeState.NOWHERE;
      if (message > lost.closedBehind) {
        lost.giveBack(message);
      }
      lost.settleDown();
      choice.add(Kind.COMMIT_DELIVERY_UNANSWERED, message, lost);
    }
  }

  private static void end(MergeState after, int message) {
    MergeCell cell = after.cells[message];
    if (cell.ownRow) {
      cell.row = Row.NONE;
      after.wake(cell.wakes);
    } else {
      cell.ready = false;
    }
  }

  private static void answer(Choice choice, int message) {
    MergeState after = choice.state().copy();
    MergeCell cell = after.cells[message];
    cell.phase = Phase.ABSENT;
    cell.finds = false;
    cell.wakes = MergeState.NOWHERE;
    cell.commitInDoubt = false;
    cell.other = MergeCell.Other.NONE;
    boolean own = cell.ownRow;
    cell.ownRow = false;
    if (after.is(MergeRule.EFFECT_COMMITS_WITHOUT_ITS_ROW)) {
      after.add(message, own ? Outcome.ROW_DONE : Outcome.LEAVES);
    } else if (own) {
      after.rowLeaves(message);
    } else {
      cell.leaving = true;
    }
    after.settleDown();
    choice.add(Kind.ANSWER_DELIVERY, message, after);
  }
}
