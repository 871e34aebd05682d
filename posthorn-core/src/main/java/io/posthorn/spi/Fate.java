/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one message for one handler.
 *
 * @since 0.1
 */
public sealed interface Fate {
  /**
   * It was delivered, or needs no delivery any more.
   *
   * @param kept whether it goes to the history
   */
  record Delivered(boolean kept) implements Fate {}

  /**
   * It waits in the deferred table.
   *
   * @param attempts deliveries tried so far
   * @param dueIn the delay until it is due, or null: it has no time of its own
   * @param error what the last attempt said, or null
   * @param passed whether later messages of its key may go before it; then it is found by its time
   */
  record Deferred(
      DeferReason reason,
      int attempts,
      @Nullable Duration dueIn,
      @Nullable String error,
      boolean passed)
      implements Fate {
    /** One that holds its lane, if it has a key. */
    public Deferred(
        DeferReason reason, int attempts, @Nullable Duration dueIn, @Nullable String error) {
      this(reason, attempts, dueIn, error, false);
    }

    public Deferred {
      requireNonNull(reason, "reason");
      if (dueIn != null && dueIn.isNegative()) {
        throw new IllegalArgumentException("dueIn was " + dueIn + " but must not be negative");
      }
    }
  }

  /**
   * It becomes a dead letter.
   *
   * @param attempts deliveries tried
   * @param error why
   * @param blocksLane whether its lane, if it has a key, stays blocked until a person decides
   */
  record Dead(int attempts, String error, boolean blocksLane) implements Fate {
    /** One whose lane goes on. */
    public Dead(int attempts, String error) {
      this(attempts, error, false);
    }

    public Dead {
      requireNonNull(error, "error");
    }
  }

  /**
   * It goes back to the ready table with a fresh seq; for deferred rows that are not meant for one
   * handler.
   */
  record Ready() implements Fate {}

  /** Done with, and nothing is kept of it. */
  Fate DELIVERED = new Delivered(false);

  /** Delivered, and kept in the history. */
  Fate KEPT = new Delivered(true);
}
