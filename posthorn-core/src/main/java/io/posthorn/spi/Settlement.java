/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes that are stored together, in this order.
 *
 * @param ready rows that leave the ready table
 * @param deferred rows of the deferred table that leave it or change
 * @since 0.1
 */
public record Settlement(List<Ready> ready, List<Deferred> deferred) {
  public Settlement {
    ready = List.copyOf(ready);
    deferred = List.copyOf(deferred);
  }

  /**
   * A row that leaves the ready table.
   *
   * @param id the message's: after a restore the row with this seq may be another one, which stays
   * @param key the message's, or null
   * @param place the one it was read from, or null
   * @param leftovers one for each handler that is not done with it
   * @param kept the names of the handlers for which it goes to the history
   */
  public record Ready(
      int partition,
      long seq,
      UUID id,
      @Nullable String key,
      @Nullable String place,
      List<Leftover> leftovers,
      List<String> kept) {
    public Ready {
      requireNonNull(id, "id");
      leftovers = List.copyOf(leftovers);
      kept = List.copyOf(kept);
    }

    /** One that is found by its key only. */
    public Ready(
        int partition,
        long seq,
        UUID id,
        @Nullable String key,
        List<Leftover> leftovers,
        List<String> kept) {
      this(partition, seq, id, key, null, leftovers, kept);
    }
  }

  /** A handler that is not done with a message, and what becomes of it. */
  public record Leftover(String handler, Fate fate) {
    public Leftover {
      requireNonNull(handler, "handler");
      requireNonNull(fate, "fate");
      if (fate instanceof Fate.Delivered || fate instanceof Fate.Ready) {
        throw new IllegalArgumentException("a message cannot be left over as " + fate);
      }
    }
  }

  /**
   * A row of the deferred table and what becomes of it.
   *
   * @param id the message's
   * @param key the message's, or null
   */
  public record Deferred(
      int partition, long seq, UUID id, @Nullable String key, String handler, Fate fate) {
    public Deferred {
      requireNonNull(id, "id");
      requireNonNull(handler, "handler");
      requireNonNull(fate, "fate");
    }
  }

  public int size() {
    return ready.size() + deferred.size();
  }
}
