/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionRun;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.DeferredMessages;
import io.posthorn.spi.AdminStore;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What operators see of deferred messages, and do to them. */
record DeferredDesk(Actions actions) implements DeferredMessages {
  @Override
  public Page<DeferredEntry> page(Filter filter, @Nullable String cursor, int limit) {
    FilteredLists.ofDeferred(filter);
    FilteredLists.checkLimit(limit);
    return FilteredLists.page(actions.store().deferred(filter, Places.parse(cursor, false), limit));
  }

  @Override
  public Count count(Filter filter) {
    FilteredLists.ofDeferred(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countDeferred(filter, place));
  }

  @Override
  public Count count(Filter filter, Predicate<Count> goesOn) {
    FilteredLists.ofDeferred(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countDeferred(filter, place), goesOn);
  }

  @Override
  public Optional<DeferredEntry> find(EntryId id) {
    return actions.store().deferred(requireNonNull(id, "id"));
  }

  @Override
  public AdminAction runNow(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.RUN_NOW, ids, run, AdminStore::runNow);
  }

  @Override
  public AdminAction runAllNow(Filter filter, ActionRun run) {
    return all(Kind.RUN_NOW, filter, run, AdminStore::runNow);
  }

  @Override
  public AdminAction cancel(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.CANCEL, ids, run, AdminStore::cancel);
  }

  @Override
  public AdminAction cancelAll(Filter filter, ActionRun run) {
    return all(Kind.CANCEL, filter, run, AdminStore::cancel);
  }

  @Override
  public AdminAction skip(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.SKIP, ids, run, DeferredDesk::skip);
  }

  @Override
  public AdminAction skipAll(Filter filter, ActionRun run) {
    return all(Kind.SKIP, filter, run, DeferredDesk::skip);
  }

  private static List<EntryId> skip(AdminStore store, Collection<EntryId> ids) {
    return store.skip(ids, LaneDesk.SKIPPED);
  }

  private AdminAction all(Kind kind, Filter filter, ActionRun run, Actions.Move move) {
    FilteredLists.ofDeferred(filter);
    return actions.all(
        kind, filter.toString(), BatchSource.of(AdminStore::deferred, filter, false), run, move);
  }
}
