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
    LEFTOVER,
    /** A message waited longer after a fault than it may. */
    TOO_LATE,
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
