/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.GateState.Publisher;

/** What the gates promise about every single step. */
enum GatePromise implements Invariant<GateState, GateAction> {

  /** Whoever has drawn a seq up to the floor has been read, or leaves no row. */
  NOTHING_APPEARS_BELOW_THE_FLOOR {
    @Override
    public boolean holds(GateState before, GateAction action, GateState after) {
      for (Publisher publisher : after.publishers) {
        boolean below = publisher.seq > 0 && publisher.seq <= after.floor;
        if (below && !publisher.read && !publisher.rolledBack) {
          return false;
        }
      }
      return true;
    }
  }
}
