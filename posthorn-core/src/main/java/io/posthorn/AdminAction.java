/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator did.
 *
 * @param target what it was done to: the filter, the entries or the name. Of contents that are too
 *     long or may be secret (payloads, values of headers, more than ten entries) it has a digest
 * @param entries to how many it was done so far
 * @param startedAt on the database's clock
 * @param changedAt when its last batch ended. If that is long ago and the state is {@code RUNNING},
 *     the process that did it has ended; asked for again with the same id, it goes on
 * @param original what an edit of a single dead letter replaced; null in pages, and of other
 *     actions
 * @since 0.1
 */
public record AdminAction(
    UUID id,
    Kind kind,
    String who,
    @Nullable String why,
    String target,
    State state,
    long entries,
    Instant startedAt,
    Instant changedAt,
    @Nullable Original original) {
  public AdminAction {
    requireNonNull(id, "id");
    requireNonNull(kind, "kind");
    requireNonNull(who, "who");
    requireNonNull(target, "target");
    requireNonNull(state, "state");
    requireNonNull(startedAt, "startedAt");
    requireNonNull(changedAt, "changedAt");
  }

  /** What can be done. */
  public enum Kind {
    /** Dead letters are delivered again. */
    RETRY,
    /** Dead letters were dealt with: they went to the history, or were deleted. */
    RESOLVE,
    /** Resolved dead letters are dead letters again. */
    REOPEN,
    /** Dead letters were deleted. */
    DELETE,
    /** Headers of dead letters were changed. */
    EDIT_HEADERS,
    /** The payload of a dead letter was replaced. */
    EDIT_PAYLOAD,
    /** Deferred messages became due. */
    RUN_NOW,
    /** Deferred messages were deleted. */
    CANCEL,
    /** Deferred messages became dead letters, or the marker at the head of a lane was removed. */
    SKIP,
    /** A lane waits until it is unblocked. */
    BLOCK,
    /** The markers of a lane were removed. */
    UNBLOCK,
    /** Delivered messages are delivered once more. */
    REPLAY,
    /** A handler or partition was paused. */
    PAUSE,
    /** A handler or partition was resumed. */
    RESUME,
    /** A handler is not waited for any more. */
    FORGET
  }

  /** Where an action stands. */
  public enum State {
    /** There is more to do. */
    RUNNING,
    /** It was done to all. */
    DONE,
    /** It was stopped before it was done to all. */
    STOPPED
  }

  /**
   * What a dead letter had before it was edited.
   *
   * @param payload null: a tombstone. Not copied
   */
  @SuppressWarnings("ArrayRecordComponent") // equality is never asked for
  public record Original(Map<String, String> headers, byte @Nullable [] payload) {
    public Original {
      headers = Map.copyOf(headers);
    }
  }
}
