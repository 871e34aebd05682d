/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

/** A message leaves one state for another, or comes into the same one again with a new attempt. */
record Move(State from, State to) implements Comparable<Move> {
  @Override
  public int compareTo(Move other) {
    int byFrom = from.compareTo(other.from);
    return byFrom == 0 ? to.compareTo(other.to) : byFrom;
  }

  @Override
  public String toString() {
    return from + " --> " + to;
  }
}
