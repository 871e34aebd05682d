/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Does things to many entries, a batch and a transaction at a time. */
final class Batches {
  /** Something that is done to a batch; returns those to which it was. */
  interface Move extends Function<Collection<EntryId>, List<EntryId>> {}

  /** Lists what stands behind a place. */
  interface Listing extends Function<@Nullable Place, List<? extends Entry>> {}

  private final Consumer<BitSet> touched;

  Batches(Consumer<BitSet> touched) {
    this.touched = touched;
  }

  int each(Collection<EntryId> ids, Move move) {
    List<EntryId> wanted = ids.stream().distinct().toList();
    int moved = 0;
    for (int from = 0; from < wanted.size(); from += AdminStore.MOST_IDS) {
      int to = Math.min(wanted.size(), from + AdminStore.MOST_IDS);
      moved += run(wanted.subList(from, to), move);
    }
    return moved;
  }

  /** Goes through a list once: an entry that comes back to its place is not met again. */
  long all(Listing listing, Move move) {
    long moved = 0;
    Place last = null;
    List<? extends Entry> batch = listing.apply(null);
    while (!batch.isEmpty()) {
      EntryId before = last == null ? null : last.id();
      moved +=
          run(
              batch.stream().map(Entry::id).distinct().filter(id -> !id.equals(before)).toList(),
              move);
      last = Places.of(batch.get(batch.size() - 1));
      batch = listing.apply(last);
    }
    return moved;
  }

  private int run(List<EntryId> batch, Move move) {
    if (batch.isEmpty()) {
      return 0;
    }
    List<EntryId> moved = move.apply(batch);
    if (!moved.isEmpty()) {
      BitSet partitions = new BitSet();
      moved.forEach(id -> partitions.set(id.partition()));
      touched.accept(partitions);
    }
    return moved.size();
  }
}
