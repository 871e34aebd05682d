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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
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
    AtomicInteger steps = new AtomicInteger();
    return count(
        counting,
        any -> steps.incrementAndGet() * AdminStore.MAX_ROWS_EXAMINED < Admin.MAX_ROWS_COUNTED);
  }

  /** Goes through a list until it ends, or as long as it is wanted. */
  static Count count(Function<@Nullable Place, Counted> counting, Predicate<Count> goesOn) {
    Counted counted = counting.apply(null);
    long matches = counted.matches();
    while (counted.next() != null && goesOn.test(new Count(matches, false))) {
      counted = counting.apply(counted.next());
      matches += counted.matches();
    }
    return new Count(matches, counted.next() == null);
  }

  static Filter ofReady(Filter filter) {
    return withoutReason(withoutError(withoutResolved(filter)));
  }

  static Filter ofDead(Filter filter) {
    return withoutReason(withoutResolved(filter));
  }

  static Filter ofDeferred(Filter filter) {
    return withoutResolved(filter);
  }

  static Filter ofHistory(Filter filter) {
    return withoutReason(withoutError(filter));
  }

  private static Filter withoutReason(Filter filter) {
    if (requireNonNull(filter, "filter").reason() != null) {
      throw new IllegalArgumentException(
          "reason was %s but only deferred messages have one; leave it out"
              .formatted(filter.reason()));
    }
    return filter;
  }

  private static Filter withoutError(Filter filter) {
    if (requireNonNull(filter, "filter").errorContains() != null) {
      throw new IllegalArgumentException(
          "errorContains was set but only dead letters and deferred messages have errors; leave it out");
    }
    return filter;
  }

  private static Filter withoutResolved(Filter filter) {
    if (requireNonNull(filter, "filter").resolvedOnly()) {
      throw new IllegalArgumentException(
          "resolvedOnly was set but only the history has resolved messages; leave it out");
    }
    return filter;
  }
}
