/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Model.Step;
import java.util.List;

/** The choice of one relay in one state: duties add the steps that it could take now. */
record Turn(Fleet fleet, int number, Protocol protocol, List<Step<Fleet, Action>> steps) {

  private static final int NO_SUBJECT = -1;

  Relay relay() {
    return fleet.relay(number);
  }

  Database database() {
    return fleet.database();
  }

  InstanceRow row() {
    return database().instance(number);
  }

  boolean expelled() {
    return row() == InstanceRow.NONE;
  }

  /** Whether neither clock has anything to say against the relay. */
  boolean inGoodTime() {
    return !relay().lease().deadlinePassed() && row() == InstanceRow.FRESH;
  }

  boolean is(Protocol other) {
    return protocol == other;
  }

  void add(Kind kind, int subject, Fleet after) {
    steps.add(new Step<>(new Action(kind, number, subject), after));
  }

  void add(Kind kind, Fleet after) {
    add(kind, NO_SUBJECT, after);
  }

  /** A step that changes nothing but the memory of the relay. */
  void add(Kind kind, int subject, Relay after) {
    add(kind, subject, fleet.with(number, after));
  }

  void add(Kind kind, Relay after) {
    add(kind, NO_SUBJECT, after);
  }

  /** Nobody can call back a handler, or a worker that has passed the check. */
  void addDrop() {
    Flights flights = relay().work().inFlight();
    boolean halfChecked = is(Protocol.DEADLINE_OF_THE_NEXT_LIFE);
    int inHand = halfChecked ? flights.unfinished() : flights.busy();
    add(Kind.FIND_EXPELLED, relay().drop(inHand));
  }
}
