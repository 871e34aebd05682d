/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Original;
import io.posthorn.AdminAction.State;
import io.posthorn.spi.AdminStore.ActionPlace;
import io.posthorn.spi.AdminStore.NewAction;
import io.posthorn.spi.AdminStore.OpenAction;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators did. Guarded by the lock of the tables. */
final class InMemoryActions {
  private static final Comparator<ActionPlace> LATEST_FIRST =
      Comparator.comparing(ActionPlace::startedAt)
          .thenComparing(place -> place.id().toString())
          .reversed();

  final Map<UUID, OpenAction> rows = new HashMap<>();

  OpenAction open(NewAction action, Instant now) {
    return rows.computeIfAbsent(
        action.id(),
        id ->
            new OpenAction(
                new AdminAction(
                    id,
                    action.kind(),
                    action.who(),
                    action.why(),
                    action.target(),
                    State.RUNNING,
                    0,
                    now,
                    now,
                    null),
                null));
  }

  AdminAction advance(UUID id, long entries, @Nullable String place, Instant now) {
    AdminAction was = requireNonNull(rows.get(id), "action").action();
    State state = place == null ? State.DONE : State.RUNNING;
    return put(was, state, was.entries() + entries, now, was.original(), place);
  }

  boolean keepOriginal(UUID id, Original original) {
    OpenAction was = requireNonNull(rows.get(id), "action");
    AdminAction action = was.action();
    put(action, action.state(), action.entries(), action.changedAt(), original, was.place());
    return true;
  }

  boolean stop(UUID id, Instant now) {
    OpenAction was = rows.get(id);
    if (was == null || was.action().state() != State.RUNNING) {
      return false;
    }
    AdminAction action = was.action();
    put(action, State.STOPPED, action.entries(), now, action.original(), was.place());
    return true;
  }

  private AdminAction put(
      AdminAction was,
      State state,
      long entries,
      Instant changedAt,
      @Nullable Original original,
      @Nullable String place) {
    AdminAction is =
        new AdminAction(
            was.id(),
            was.kind(),
            was.who(),
            was.why(),
            was.target(),
            state,
            entries,
            was.startedAt(),
            changedAt,
            original);
    rows.put(is.id(), new OpenAction(is, place));
    return is;
  }

  Optional<AdminAction> find(UUID id) {
    return Optional.ofNullable(rows.get(id)).map(OpenAction::action);
  }

  List<AdminAction> list(@Nullable ActionPlace after, int limit) {
    return rows.values().stream()
        .map(OpenAction::action)
        .filter(action -> after == null || LATEST_FIRST.compare(place(action), after) > 0)
        .sorted(Comparator.comparing(InMemoryActions::place, LATEST_FIRST))
        .limit(limit)
        .map(InMemoryActions::withoutOriginal)
        .toList();
  }

  private static ActionPlace place(AdminAction action) {
    return new ActionPlace(action.startedAt(), action.id());
  }

  private static AdminAction withoutOriginal(AdminAction action) {
    return new AdminAction(
        action.id(),
        action.kind(),
        action.who(),
        action.why(),
        action.target(),
        action.state(),
        action.entries(),
        action.startedAt(),
        action.changedAt(),
        null);
  }
}
