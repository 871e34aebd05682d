/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Other;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeCell.Row;

/** What the merge promises about every single step, whatever happened before it. */
enum MergePromise implements Invariant<MergeState, MergeAction> {

  /**
   * What comes before it in its lane has been done; where failed ones are passed, or has failed.
   */
  LANE_STARTS_IN_ORDER {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      for (int i = 0; action.kind() == Kind.START && i < action.message(); i++) {
        boolean passes = before.cells[i].failed || before.cells[action.message()].failed;
        if (before.cells[i].done == 0 && !(passes && before.setup.passes())) {
          return false;
        }
      }
      return true;
    }
  },

  ONE_DELIVERY_AT_A_TIME {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      int underWay = 0;
      for (MergeCell cell : after.cells) {
        underWay += cell.underWay() ? 1 : 0;
      }
      return underWay <= 1;
    }
  },

  NO_DUPLICATE_WITHOUT_A_CRASH {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      return action.kind() != Kind.START
          || before.crashed
          || before.cells[action.message()].commitInDoubt
          || before.cells[action.message()].done == 0;
    }
  },

  EFFECT_OF_A_TRANSACTION_HAPPENS_ONCE {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      for (MergeCell cell : after.cells) {
        if (after.setup.isTransactional() && cell.done > 1) {
          return false;
        }
      }
      return true;
    }
  },

  /** A row disappears only because its message has been delivered. */
  NOTHING_IS_LOST {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      for (int i = 0; i < after.published; i++) {
        MergeCell cell = after.cells[i];
        if (!cell.ready && cell.row == Row.NONE && cell.done == 0) {
          return false;
        }
      }
      return true;
    }
  },

  /** The other handler was done with a ready row that disappears, or gets a row of its own. */
  NOTHING_IS_LOST_FOR_THE_OTHER_HANDLER {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      for (int i = 0; i < after.cells.length; i++) {
        boolean disappears = before.cells[i].ready && !after.cells[i].ready;
        if (disappears && after.cells[i].other == Other.OPEN) {
          return false;
        }
      }
      return true;
    }
  },

  /** A worker never has a message whose transaction can't find a row that is there. */
  TRANSACTION_FINDS_ITS_ROW {
    @Override
    public boolean holds(MergeState before, MergeAction action, MergeState after) {
      if (action.kind() != Kind.DELETE_IN_TRANSACTION) {
        return true;
      }
      MergeCell cell = after.cells[action.message()];
      return cell.phase == Phase.DELETED && (cell.finds || cell.commitInDoubt);
    }
  }
}
