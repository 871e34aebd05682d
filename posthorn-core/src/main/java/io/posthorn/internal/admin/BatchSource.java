/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.internal.admin.Actions.Batch;
import io.posthorn.internal.admin.Actions.Source;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.AdminStore.Slice;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the batches of an action come from. */
final class BatchSource {
  private BatchSource() {}

  /** Reads a part of a list. */
  interface Listing {
    Slice<? extends Entry> list(AdminStore store, Filter filter, @Nullable Place after, int limit);
  }

  /** These entries, in their order. A place is the number of those before it. */
  static Source of(List<EntryId> ids) {
    return (store, place, bound) -> {
      int from = place == null ? 0 : Integer.parseInt(place);
      int to = Math.min(ids.size(), from + AdminStore.MOST_IDS);
      return new Batch(ids.subList(from, to), to < ids.size() ? Integer.toString(to) : null);
    };
  }

  /** What matches a filter, each once: an entry that comes back to its place is not met again. */
  static Source of(Listing listing, Filter filter, boolean timed) {
    return (store, place, bound) -> {
      Place after = Places.parse(place, timed);
      Slice<? extends Entry> found =
          listing.list(store, until(filter, bound), after, AdminStore.MOST_IDS);
      EntryId before = after == null ? null : after.id();
      List<EntryId> ids =
          found.entries().stream()
              .map(Entry::id)
              .distinct()
              .filter(id -> !id.equals(before))
              .toList();
      Place next = found.next();
      return new Batch(ids, next == null ? null : Places.text(next));
    };
  }

  /**
   * What matches at this moment: something that dies, or is delivered, later is not meant. Times
   * have microseconds in the tables.
   */
  private static Filter until(Filter filter, Instant bound) {
    Instant soon = bound.plusNanos(1_000);
    Instant to = filter.to();
    return to == null || to.isAfter(soon) ? filter.to(soon) : filter;
  }
}
