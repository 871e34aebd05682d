/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

/** How a message behaves at its handlers. */
public enum Nature {
  PLAIN,
  /** The first attempt of each handler fails. */
  FAILS_ONCE,
  /** Takes a while. */
  SLOW,
  /** Hangs at the first attempt until it is interrupted. */
  HANGS,
  /** Never succeeds: it has to become a dead letter. */
  POISON,
  /** Ends the JVM at every attempt: it has to become a dead letter. */
  KILLER;

  /** Whether it must end as a dead letter of each handler. */
  public boolean mustDie() {
    return this == POISON || this == KILLER;
  }
}
