/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import java.util.List;
import java.util.Locale;

/**
 * A promise that was not kept.
 *
 * @param story all that is known of the message
 */
public record Violation(Kind kind, String what, List<String> story) {
  /** Begins the lines of a story that tell of faults. */
  public static final String FAULT = "fault: ";

  /** Which promise. */
  public enum Kind {
    LOST,
    PHANTOM,
    DISORDER,
    SIDE_BY_SIDE,
    STALE_EPOCH,
    /** A relay changed rows of a partition that it does not own. */
    INTRUSION,
    UNEXPLAINED_DUPLICATE,
    TOO_MANY_DUPLICATES,
    WRONG_DEAD_LETTER,
    /** A fallback was called although the handler would have succeeded. */
    WRONG_FALLBACK,
    /** A transactional handler took a message, and its effect is not there. */
    LOST_EFFECT,
    /** An effect is there more than once. */
    REPEATED_EFFECT,
    /** There is an effect of a message that was rolled back, or is dead. */
    FALSE_EFFECT,
    /** Delivered before its time. */
    TOO_EARLY,
    /** Delivered after it had expired. */
    EXPIRED,
    /** An attempt was counted that was none. */
    FALSE_ATTEMPT,
    /** An idempotency key was used for two messages, or for none. */
    IDEMPOTENCY_KEY,
    /** The handler did not get what was published. */
    GARBLED,
    LEFTOVER,
    /** A message waited longer after a fault than it may. */
    TOO_LATE,
    /** A figure of a long run got worse for as long as it lasted. */
    DRIFT,
    BROKEN_HARNESS;

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  @Override
  public String toString() {
    return kind.label()
        + ": "
        + what
        + String.join("", story.stream().map("\n    "::concat).toList());
  }
}
