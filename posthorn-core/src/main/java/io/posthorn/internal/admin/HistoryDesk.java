/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionRun;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Page;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.DeliveryHistory;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.AdminStore.Slice;
import java.util.Collection;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What operators see of delivered messages, and do with them. */
record HistoryDesk(Actions actions) implements DeliveryHistory {
  @Override
  public Page<HistoryEntry> page(Filter filter, @Nullable String cursor, int limit) {
    FilteredLists.ofHistory(filter);
    FilteredLists.checkLimit(limit);
    return FilteredLists.page(actions.store().history(filter, Places.parse(cursor, true), limit));
  }

  @Override
  public Count count(Filter filter) {
    FilteredLists.ofHistory(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countHistory(filter, place));
  }

  @Override
  public Count count(Filter filter, Predicate<Count> goesOn) {
    FilteredLists.ofHistory(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countHistory(filter, place), goesOn);
  }

  @Override
  public AdminAction replay(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.REPLAY, ids, run, AdminStore::replay);
  }

  @Override
  public AdminAction replayAll(Filter filter, ActionRun run) {
    if (requireNonNull(filter, "filter").resolvedOnly()) {
      throw new IllegalArgumentException(
          "resolvedOnly was set but replaying all leaves resolved messages out, which were not delivered; reopen them, or replay them by their ids");
    }
    return all(Kind.REPLAY, HistoryDesk::delivered, filter, run, AdminStore::replay);
  }

  @Override
  public AdminAction reopen(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.REOPEN, ids, run, AdminStore::reopen);
  }

  @Override
  public AdminAction reopenAll(Filter filter, ActionRun run) {
    return all(Kind.REOPEN, AdminStore::history, filter, run, AdminStore::reopen);
  }

  private static Slice<HistoryEntry> delivered(
      AdminStore store, Filter filter, @Nullable Place after, int limit) {
    Slice<HistoryEntry> found = store.history(filter, after, limit);
    return new Slice<>(
        found.entries().stream().filter(entry -> entry.resolution() == null).toList(),
        found.next());
  }

  private AdminAction all(
      Kind kind, BatchSource.Listing list, Filter filter, ActionRun run, Actions.Move move) {
    FilteredLists.ofHistory(filter);
    return actions.all(kind, filter.toString(), BatchSource.of(list, filter, true), run, move);
  }
}
