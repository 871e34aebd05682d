/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;

/** Where a message can be, as far as the tables tell. */
enum State {
  /** In no table yet. */
  NEW,
  READY,
  DELAYED,
  RETRYING,
  HELD,
  WAITING,
  SUSPECT,
  ELSEWHERE,
  UNCLAIMED,
  /** A handler is done with it. */
  SETTLED,
  /** A deferred row that is meant for no certain handler. */
  UNDECIDED,
  /** Not a message: the marker of a blocked lane. */
  BLOCKED,
  DEAD,
  HISTORY,
  /** Deleted. */
  GONE;

  /**
   * The state that a row means.
   *
   * @param reason null but for rows of the deferred table
   */
  static State ofRow(String table, String handler, String reason) {
    return switch (table) {
      case "outbox_message" -> READY;
      case "outbox_dead" -> DEAD;
      case "outbox_history" -> HISTORY;
      case "outbox_deferred" -> ofDeferred(handler, DeferReason.valueOf(reason));
      default -> throw new IllegalArgumentException(table);
    };
  }

  private static State ofDeferred(String handler, DeferReason reason) {
    boolean undecided = handler.equals(DeferredMessage.UNDECIDED) && reason != DeferReason.DELAYED;
    return undecided ? UNDECIDED : valueOf(reason.name());
  }
}
