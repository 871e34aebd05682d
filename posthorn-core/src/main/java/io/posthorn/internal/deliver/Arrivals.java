/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

/**
 * Rows that come into the deferred table, for a lane or a backlog. Guarded by the workload's lock.
 */
final class Arrivals {
  private int moving;
  private boolean arrived;

  /** A row is on its way. */
  void begin() {
    moving++;
  }

  /** A row is there now, or never will be. */
  void end() {
    moving--;
    arrived = true;
  }

  /** A look at the table begins: what is there now will be seen by it. */
  void lookBegins() {
    arrived = false;
  }

  boolean moving() {
    return moving > 0;
  }

  /** Whether a look that has ended may have missed a row. */
  boolean mayHaveMissed() {
    return moving > 0 || arrived;
  }

  /** Rows that were in memory are only in the table now. */
  void givenBack() {
    arrived = true;
  }

  void clear() {
    moving = 0;
    arrived = false;
  }
}
