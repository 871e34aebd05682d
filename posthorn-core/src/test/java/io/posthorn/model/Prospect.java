/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import java.util.EnumSet;
import java.util.Set;

/** What must stay possible in every state that can be reached. */
enum Prospect implements Goal<Fleet, Action> {

  /**
   * By the relays that run: nobody can count on a paused one waking up, or on one being stopped.
   */
  EVERY_MESSAGE_CAN_STILL_BE_SETTLED;

  private static final Set<Kind> NOT_TO_COUNT_ON =
      EnumSet.of(
          Kind.PAUSE,
          Kind.PAUSE_AFTER_SENDING,
          Kind.PAUSE_BEFORE_ANSWER,
          Kind.RESUME,
          Kind.DRAIN,
          Kind.STOP,
          Kind.TAKE_UNANSWERED,
          Kind.COMMIT_UNANSWERED,
          Kind.RELEASE_UNANSWERED);

  @Override
  public boolean reachedIn(Fleet fleet) {
    return fleet.database().messages() == 0;
  }

  @Override
  public boolean mayCountOn(Action action) {
    return !NOT_TO_COUNT_ON.contains(action.kind());
  }

  @Override
  public boolean owedIn(Fleet fleet) {
    return fleet.relays().stream().anyMatch(relay -> !relay.paused());
  }
}
