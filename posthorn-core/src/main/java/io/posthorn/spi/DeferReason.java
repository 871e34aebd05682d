/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

/**
 * Why a message waits in the deferred table.
 *
 * @since 0.1
 */
public enum DeferReason {
  /** It failed and is tried again at its due time. */
  RETRYING,
  /** It stands behind an earlier message of its lane. */
  HELD,
  /** Its handler could not take it yet: too busy, paused, or known to another instance only. */
  WAITING,
  /** It was published to be delivered later. */
  DELAYED,
  /** It was handed over alone, because its relays died while they were at work; it may be why. */
  SUSPECT,
  /** The relay that owns it does not take its type, but another live instance does, or may. */
  ELSEWHERE,
  /** No live instance takes its type. */
  UNCLAIMED,
  /**
   * A handler is done with it, in a transaction that did not see the rows behind it: it is deleted
   * without a delivery.
   */
  SETTLED,
  /** Not a message: it keeps its lane blocked until a person decides. */
  BLOCKED;

  /** Whether it waits until somebody takes its type, rather than for a time or for others. */
  public boolean isUnclaimed() {
    return this == ELSEWHERE || this == UNCLAIMED;
  }
}
