/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.MergeState.Stray;

/** What must stay possible in every state that can be reached. */
enum MergeProspect implements Goal<MergeState, MergeAction> {

  /** Without a failure, a crash or an operator having to help. */
  EVERY_MESSAGE_CAN_STILL_BE_DELIVERED;

  @Override
  public boolean reachedIn(MergeState state) {
    for (MergeCell cell : state.cells) {
      if (cell.done == 0 || cell.ready || cell.row != MergeCell.Row.NONE) {
        return false;
      }
    }
    return state.stray == Stray.NONE;
  }

  @Override
  public boolean mayCountOn(MergeAction action) {
    return action.canBeCountedOn();
  }

  @Override
  public boolean owedIn(MergeState state) {
    return true;
  }
}
