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
  /** A transactional handler swallows a failed statement at the first attempt. */
  ABORTS_ONCE,
  /** The commit of a transactional handler fails at the first attempt. */
  COMMIT_FAILS_ONCE,
  /** Never succeeds: a fallback has to help, or it becomes a dead letter. */
  POISON,
  /** Never succeeds, and fallbacks fail too: it has to become a dead letter. */
  INCURABLE,
  /** A transactional handler swallows a failed statement at every attempt. */
  ABORTS,
  /** The commit of a transactional handler fails at every attempt. */
  COMMIT_FAILS,
  /** Ends the JVM at every attempt: it has to become a dead letter. */
  KILLER;

  /** Whether it must end as a dead letter of this handler. */
  public boolean diesAt(Receiver receiver) {
    return switch (this) {
      case INCURABLE, KILLER -> true;
      case POISON -> !receiver.hasFallback();
      case ABORTS, COMMIT_FAILS -> receiver.isTransactional();
      default -> false;
    };
  }
}
