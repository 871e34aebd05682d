/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/**
 * What a relay is doing with messages.
 *
 * @param leftovers what workers were busy with when the relay found itself expelled: nobody can
 *     call a handler back
 * @param read the rows that the read under way will return; 0 if none is
 */
record Work(Flights inFlight, Flights leftovers, int read, Settle settle) {

  static final Work NONE = new Work(Flights.NONE, Flights.NONE, 0, Settle.NONE);

  /** The settle under way, and the messages it is about. */
  record Settle(Stage stage, int messages) {

    static final Settle NONE = new Settle(Stage.NONE, 0);

    enum Stage {
      NONE,
      LOCKED,
      DELETED,
      /** Committed; the relay does not know it yet. */
      COMMITTED
    }

    /** Whether a transaction is open, so that its locks are held. */
    boolean open() {
      return stage == Stage.LOCKED || stage == Stage.DELETED;
    }

    Settle at(Stage next) {
      return new Settle(next, messages);
    }
  }

  Work with(Flights flights) {
    return new Work(flights, leftovers, read, settle);
  }

  Work with(Settle other) {
    return new Work(inFlight, leftovers, read, other);
  }

  Work withLeftovers(Flights others) {
    return new Work(inFlight, others, read, settle);
  }

  Work withRead(int rows) {
    return new Work(inFlight, leftovers, rows, settle);
  }

  /** Everything is dropped but what workers have in hand, and a transaction that is open. */
  Work dropped(int inHand) {
    Settle unstoppable = settle.open() ? settle : Settle.NONE;
    return new Work(Flights.NONE, leftovers.and(inFlight.only(inHand)), 0, unstoppable);
  }
}
