/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

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
    return all(Kind.REPLAY, filter, run, AdminStore::replay);
  }

  @Override
  public AdminAction reopen(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.REOPEN, ids, run, AdminStore::reopen);
  }

  @Override
  public AdminAction reopenAll(Filter filter, ActionRun run) {
    return all(Kind.REOPEN, filter, run, AdminStore::reopen);
  }

  private AdminAction all(Kind kind, Filter filter, ActionRun run, Actions.Move move) {
    FilteredLists.ofHistory(filter);
    return actions.all(
        kind, filter.toString(), BatchSource.of(AdminStore::history, filter, true), run, move);
  }
}
