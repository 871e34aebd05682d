/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.GateState.Publisher;

/** What must stay possible in every state that can be reached. */
enum GateProspect implements Goal<GateState, GateAction> {

  /** Once all publishers have ended. */
  FLOOR_CAN_STILL_PASS_ALL_THAT_WAS_READ;

  @Override
  public boolean reachedIn(GateState state) {
    for (Publisher publisher : state.publishers) {
      if (!publisher.hasEnded() || (publisher.committed && !publisher.read)) {
        return false;
      }
    }
    return state.floor == state.highest;
  }

  @Override
  public boolean mayCountOn(GateAction action) {
    return true;
  }

  @Override
  public boolean owedIn(GateState state) {
    return true;
  }
}
