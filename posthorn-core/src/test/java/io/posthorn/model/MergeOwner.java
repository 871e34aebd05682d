/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeCell.Other;
import io.posthorn.model.MergeCell.Phase;
import io.posthorn.model.MergeModel.Choice;
import io.posthorn.model.MergeSetup.Budget;
import io.posthorn.model.MergeState.Outcome;
import io.posthorn.model.MergeState.Partition;

/** Lack of room, floors, and the end of an ownership: in order, or by a crash. */
final class MergeOwner {

  private MergeOwner() {}

  static void addSteps(Choice choice) {
    MergeState state = choice.state();
    Budget budget = state.budget;
    if (state.head() != MergeState.NOWHERE && budget.spills() > 0) {
      choice.add(Kind.SPILL, spilled(state));
    }
    if (state.setup.stray() && state.floorToStore() > state.storedFloor) {
      MergeState after = state.copy();
      after.storedFloor = state.floorToStore();
      choice.add(Kind.STORE_FLOOR, after);
    }
    if (state.partition == Partition.HELD && budget.handOvers() > 0) {
      choice.add(Kind.DRAIN, drained(state));
    }
    if (state.partition == Partition.DRAINING && isEmpty(state)) {
      choice.add(Kind.RELEASE, state.withoutMemory(Partition.FREE));
    }
    if (budget.crashes() > 0) {
      MergeState after = state.withoutMemory(Partition.FREE);
      after.budget = budget.withCrashes(budget.crashes() - 1);
      after.crashed = true;
      choice.add(Kind.CRASH, after);
    }
  }

  private static MergeState spilled(MergeState state) {
    MergeState after = state.copy();
    after.budget = state.budget.withSpills(state.budget.spills() - 1);
    for (int i = 0; i < after.cells.length; i++) {
      if (after.cells[i].queued() && !after.cells[i].noted) {
        after.giveBack(i);
      }
    }
    after.settleDown();
    return after;
  }

  /** What was not started stays where it is, unless another handler is done with it. */
  private static MergeState drained(MergeState state) {
    MergeState after = state.copy();
    after.budget = state.budget.withHandOvers(state.budget.handOvers() - 1);
    after.partition = Partition.DRAINING;
    for (int i = 0; i < after.cells.length; i++) {
      MergeCell cell = after.cells[i];
      boolean queued = cell.queued();
      cell.phase = queued ? Phase.ABSENT : cell.phase;
      if (cell.delivered) {
        after.split(i);
      } else if (queued && cell.ownRow) {
        after.dropRow(i);
      } else if (queued) {
        Other other = cell.other;
        cell.other = Other.NONE;
        if (other == Other.DONE) {
          after.add(i, Outcome.SPLIT_HELD);
        }
      }
    }
    return after;
  }

  private static boolean isEmpty(MergeState state) {
    for (MergeCell cell : state.cells) {
      if (cell.phase != Phase.ABSENT || cell.recording || cell.delivered) {
        return false;
      }
    }
    return state.outcomes.isEmpty()
        && state.committed.isEmpty()
        && state.stray != MergeState.Stray.IN_MEMORY;
  }
}
