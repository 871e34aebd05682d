/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** How far each message has come in the memory of a relay; three bits a message. */
record Flights(int bits) {

  static final Flights NONE = new Flights(0);

  private static final int WIDTH = 3;
  private static final Phase[] PHASES = Phase.values();

  enum Phase {
    /** Not in the in-flight set. */
    ABSENT,
    QUEUED,
    /** A worker has passed the deadline check and has not started yet. */
    CHECKED,
    RUNNING,
    /** The delivery has ended; its outcome is not settled, or the answer is not here yet. */
    DELIVERED,
    /** Settled, but a read that may still see the row has not returned. */
    SETTLED
  }

  Phase of(int message) {
    return PHASES[(bits >> (message * WIDTH)) & ((1 << WIDTH) - 1)];
  }

  @SuppressWarnings("EnumOrdinal") // The number does not outlive the run.
  Flights with(int message, Phase phase) {
    int cleared = bits & ~(((1 << WIDTH) - 1) << (message * WIDTH));
    return new Flights(cleared | (phase.ordinal() << (message * WIDTH)));
  }

  /** The messages in this phase. */
  int in(Phase phase) {
    int found = 0;
    for (int message = 0; bits >> (message * WIDTH) != 0; message++) {
      if (of(message) == phase) {
        found |= 1 << message;
      }
    }
    return found;
  }

  /** The messages that a worker is busy with. */
  int busy() {
    return in(Phase.CHECKED) | in(Phase.RUNNING);
  }

  /** The messages whose delivery has not ended. */
  int unfinished() {
    return in(Phase.QUEUED) | busy();
  }

  Flights only(int messages) {
    Flights kept = this;
    for (int message = 0; bits >> (message * WIDTH) != 0; message++) {
      if ((messages & (1 << message)) == 0) {
        kept = kept.with(message, Phase.ABSENT);
      }
    }
    return kept;
  }

  Flights without(int messages) {
    return only(~messages);
  }

  /** Both together; no message is in both. */
  Flights and(Flights others) {
    return new Flights(bits | others.bits);
  }
}
