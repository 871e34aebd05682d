/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Counted;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.AdminStore.Slice;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pages and counts of lists, and what a filter for them may ask for. */
final class FilteredLists {
  private FilteredLists() {}

  static void checkLimit(int limit) {
    if (limit < 1 || limit > Admin.LONGEST_PAGE) {
      throw new IllegalArgumentException(
          "limit was %d but must be between 1 and %d".formatted(limit, Admin.LONGEST_PAGE));
    }
  }

  static <T extends Entry> Page<T> page(Slice<T> found) {
    Place next = found.next();
    return new Page<>(found.entries(), next == null ? null : Places.text(next));
  }

  /** Goes through a list until it ends, or enough was examined. */
  static Count count(Function<@Nullable Place, Counted> counting) {
    long matches = 0;
    int examined = 0;
    Place place = null;
    do {
      Counted counted = counting.apply(place);
      matches += counted.matches();
      examined += AdminStore.MAX_ROWS_EXAMINED;
      place = counted.next();
    } while (place != null && examined < Admin.MAX_ROWS_COUNTED);
    return new Count(matches, place == null);
  }

  static Filter withoutReason(Filter filter) {
    if (requireNonNull(filter, "filter").reason() != null) {
      throw new IllegalArgumentException(
          "reason was %s but only deferred messages have one; leave it out"
              .formatted(filter.reason()));
    }
    return filter;
  }

  static Filter withoutError(Filter filter) {
    if (requireNonNull(filter, "filter").errorContains() != null) {
      throw new IllegalArgumentException(
          "errorContains was set but only dead letters and deferred messages have errors; leave it out");
    }
    return withoutReason(filter);
  }
}
