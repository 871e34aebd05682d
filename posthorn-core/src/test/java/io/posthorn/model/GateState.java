/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Fingerprint.Packer;
import java.util.Arrays;

/** Publishers and one reader. Changed only while nobody else has it. */
final class GateState {
  static final int NO_GATE = -1;

  /** A publisher, who writes one row. */
  static final class Publisher {
    int gate = NO_GATE;
    boolean entered;
    int seq; // 0: none drawn
    boolean committed;
    boolean rolledBack;
    boolean left;
    boolean read;

    private Publisher copy() {
      Publisher copy = new Publisher();
      copy.gate = gate;
      copy.entered = entered;
      copy.seq = seq;
      copy.committed = committed;
      copy.rolledBack = rolledBack;
      copy.left = left;
      copy.read = read;
      return copy;
    }

    boolean hasEnded() {
      return left && (committed || rolledBack);
    }

    private void pack(Packer packer) {
      packer.put(gate + 1, 2).put(entered).put(seq, 3);
      packer.put(committed).put(rolledBack).put(left).put(read);
    }
  }

  final Publisher[] publishers;
  final boolean[] busy; // gates not seen free since the mark
  int drawn;
  int highest; // that was read
  int mark; // 0: none
  int floor;
  int asked; // gates, before the next read

  GateState(int publishers, int gates) {
    this.publishers = new Publisher[publishers];
    Arrays.setAll(this.publishers, i -> new Publisher());
    this.busy = new boolean[gates];
  }

  GateState copy() {
    GateState copy = new GateState(publishers.length, busy.length);
    Arrays.setAll(copy.publishers, i -> publishers[i].copy());
    System.arraycopy(busy, 0, copy.busy, 0, busy.length);
    copy.drawn = drawn;
    copy.highest = highest;
    copy.mark = mark;
    copy.floor = floor;
    copy.asked = asked;
    return copy;
  }

  boolean isFree(int gate) {
    return Arrays.stream(publishers).noneMatch(one -> one.gate == gate);
  }

  int busyGates() {
    int count = 0;
    for (boolean one : busy) {
      count += one ? 1 : 0;
    }
    return count;
  }

  Fingerprint fingerprint() {
    Packer publishing = new Packer();
    for (Publisher publisher : publishers) {
      publisher.pack(publishing);
    }
    Packer reading = new Packer();
    for (boolean one : busy) {
      reading.put(one);
    }
    reading.put(drawn, 3).put(highest, 3).put(mark, 3).put(floor, 3).put(asked, 2);
    return new Fingerprint(publishing.word(), reading.word());
  }
}
