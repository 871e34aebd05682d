/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeAction.Kind;
import io.posthorn.model.MergeState.Partition;
import io.posthorn.model.MergeState.Stray;
import java.util.ArrayList;
import java.util.List;

/**
 * The rule of order: a lane is the merge, by seq, of its deferred and its ready rows. One lane, its
 * rows in both tables, and the relay that owns its partition; docs/why/0014 tells the rule.
 */
record MergeModel(MergeSetup setup, MergeRule rule) implements Model<MergeState, MergeAction> {

  /** The steps that are possible in one state. */
  static final class Choice {
    private final MergeState state;
    private final List<Step<MergeState, MergeAction>> steps = new ArrayList<>();

    private Choice(MergeState state) {
      this.state = state;
    }

    MergeState state() {
      return state;
    }

    void add(Kind kind, int message, MergeState after) {
      steps.add(new Step<>(new MergeAction(kind, message), after));
    }

    void add(Kind kind, MergeState after) {
      add(kind, MergeState.NOWHERE, after);
    }
  }

  @Override
  public MergeState initial() {
    return new MergeState(setup, rule);
  }

  @Override
  public Fingerprint fingerprintOf(MergeState state) {
    return state.fingerprint();
  }

  @Override
  public List<Step<MergeState, MergeAction>> stepsFrom(MergeState state) {
    Choice choice = new Choice(state);
    publish(choice);
    if (state.partition == Partition.FREE) {
      choice.add(Kind.TAKE, state.withoutMemory(Partition.HELD));
      return choice.steps;
    }
    MergeReads.addSteps(choice);
    MergeDeliveries.addSteps(choice);
    MergeTransactions.addSteps(choice);
    MergeSettles.addSteps(choice);
    MergeOwner.addSteps(choice);
    return choice.steps;
  }

  /** Those of a key are committed in the order of their seqs; that of another key at any time. */
  private static void publish(Choice choice) {
    MergeState state = choice.state();
    if (state.published < state.cells.length) {
      MergeState after = state.copy();
      after.cells[state.published].ready = true;
      after.published++;
      choice.add(Kind.PUBLISH, state.published, after);
    }
    if (state.stray == Stray.DRAWN) {
      MergeState after = state.copy();
      after.stray = Stray.READY;
      choice.add(Kind.COMMIT_STRAY, after);
    }
    for (int i = 0; i < state.cells.length; i++) {
      if (state.cells[i].row == MergeCell.Row.LATER) {
        choice.add(Kind.PASS_TIME, i, withRow(state, i, MergeCell.Row.DUE));
      } else if (state.cells[i].row == MergeCell.Row.PASSED_LATER) {
        choice.add(Kind.PASS_TIME, i, withRow(state, i, MergeCell.Row.PASSED_DUE));
      }
    }
  }

  private static MergeState withRow(MergeState state, int message, MergeCell.Row row) {
    MergeState after = state.copy();
    after.cells[message].row = row;
    return after;
  }
}
