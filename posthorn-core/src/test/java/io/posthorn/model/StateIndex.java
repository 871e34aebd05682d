/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.ArrayList;
import java.util.List;

/** Numbers states in the order of their first appearance: an open hash table without boxes. */
final class StateIndex {

  private static final long FREE = 0;

  private final List<Fingerprint> known = new ArrayList<>();

  /** The hash code in the upper half, so that most others need not be looked at; number + 1. */
  private long[] slots = new long[1 << 12];

  /** The number of this state, which is a new number if it was not known. */
  int numberOf(Fingerprint state) {
    int hash = state.hashCode();
    int slot = hash & (slots.length - 1);
    while (slots[slot] != FREE && !isAt(slot, hash, state)) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slots[slot] == FREE ? add(slot, hash, state) : (int) slots[slot] - 1;
  }

  int size() {
    return known.size();
  }

  private boolean isAt(int slot, int hash, Fingerprint state) {
    return (int) (slots[slot] >>> Integer.SIZE) == hash
        && known.get((int) slots[slot] - 1).equals(state);
  }

  private int add(int slot, int hash, Fingerprint state) {
    known.add(state);
    slots[slot] = ((long) hash << Integer.SIZE) | known.size();
    if (known.size() > slots.length / 2) {
      grow();
    }
    return known.size() - 1;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[old.length * 2];
    for (long entry : old) {
      int slot = (int) (entry >>> Integer.SIZE) & (slots.length - 1);
      while (slots[slot] != FREE) {
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = entry;
    }
  }
}
