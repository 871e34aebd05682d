/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.Admin.EntryId;
import java.util.Optional;

/**
 * Lanes: the messages of one handler with one key, which are delivered in order. See {@link Admin}
 * for threads, transactions and failures.
 *
 * @since 0.1
 */
public interface Lanes {
  /**
   * Makes the first deferred message of a lane a dead letter, so that the lane goes on. If a marker
   * stands there, that is removed.
   *
   * @return what was removed, or empty if nothing of the lane was deferred
   */
  Optional<EntryId> skipHead(String handler, String key);

  /** The same, as an action that can be asked for again without skipping twice. */
  AdminAction skipHead(String handler, String key, ActionRun run);

  /**
   * Lets the messages of a lane wait until it is unblocked, through restarts too. What a relay has
   * in memory is still delivered.
   *
   * @return false if an operator blocked it before
   */
  default boolean block(String handler, String key) {
    return block(handler, key, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction block(String handler, String key, ActionRun run);

  /**
   * Removes all markers of a lane, whoever set them, so that it goes on. Dead letters stay.
   *
   * @return false if there was none
   */
  default boolean unblock(String handler, String key) {
    return unblock(handler, key, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction unblock(String handler, String key, ActionRun run);
}
