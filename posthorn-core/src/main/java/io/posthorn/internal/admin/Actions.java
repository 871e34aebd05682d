/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.ActionRun;
import io.posthorn.Admin.EntryId;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.State;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.NewAction;
import io.posthorn.spi.AdminStore.OpenAction;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what a person asks for: a batch and a transaction at a time, recorded in the same
 * transaction, and then told to relays and listeners. The lock on the recorded action makes
 * repetitions and processes that do the same take turns; each goes on where the last one was.
 */
final class Actions {
  private static final int IDS_SHOWN = 10;

  /** A repetition goes on at a place in the list, and may be given the ids in another order. */
  private static final Comparator<EntryId> IN_ORDER =
      Comparator.comparingInt(EntryId::partition)
          .thenComparingLong(EntryId::seq)
          .thenComparing(EntryId::handler);

  private final Supplier<AdminStore> stores;
  private final AdminDesk.Setting setting;
  private final Person person;

  Actions(Supplier<AdminStore> stores, AdminDesk.Setting setting, Person person) {
    this.stores = stores;
    this.setting = setting;
    this.person = person;
  }

  /** Who acts. */
  record Person(String who, @Nullable String why) {}

  /** Something that is done to a batch; returns those to which it was. */
  interface Move extends BiFunction<AdminStore, Collection<EntryId>, List<EntryId>> {}

  /**
   * Where batches come from.
   *
   * @see BatchSource
   */
  interface Source {
    /**
     * @param place null: from the beginning
     * @param bound what comes to be after it is not meant
     */
    Batch next(AdminStore store, @Nullable String place, Instant bound);
  }

  /**
   * A part of what is meant.
   *
   * @param next null: nothing is behind
   */
  record Batch(List<EntryId> ids, @Nullable String next) {}

  private record Step(AdminAction action, List<EntryId> moved) {}

  Person person() {
    return person;
  }

  AdminStore store() {
    return stores.get();
  }

  AdminAction each(Kind kind, Collection<EntryId> ids, ActionRun run, Move move) {
    return each(kind, ids, "", run, move);
  }

  /**
   * @param what comes before the names of the entries in the record
   */
  AdminAction each(Kind kind, Collection<EntryId> ids, String what, ActionRun run, Move move) {
    List<EntryId> wanted = ids.stream().distinct().sorted(IN_ORDER).toList();
    return all(kind, what + named(wanted, run), BatchSource.of(wanted), run, move);
  }

  AdminAction all(Kind kind, String target, Source source, ActionRun run, Move move) {
    NewAction wanted = action(run.id(), kind, target);
    while (true) {
      Step step = store().together(store -> step(store, wanted, source, move));
      tell(kind, step.moved);
      if (step.action.state() != State.RUNNING) {
        return step.action;
      }
      if (!run.goesOn().test(step.action)) {
        store().stopAction(run.id());
        return store().action(run.id()).orElse(step.action);
      }
    }
  }

  private static String named(List<EntryId> ids, ActionRun run) {
    String shown =
        ids.stream()
            .limit(IDS_SHOWN)
            .map(Actions::named)
            .reduce((one, other) -> one + ", " + other)
            .orElse("nothing");
    if (ids.size() <= IDS_SHOWN) {
      return shown;
    }
    ContentDigest all = ContentDigest.of(run.id());
    ids.forEach(id -> all.add(named(id)));
    return "%s and %d more %s".formatted(shown, ids.size() - IDS_SHOWN, all.text());
  }

  static String named(EntryId id) {
    return id.partition() + "/" + id.seq() + "/" + id.handler();
  }

  private NewAction action(UUID id, Kind kind, String target) {
    return new NewAction(id, kind, person.who(), person.why(), target);
  }

  private static Step step(AdminStore store, NewAction wanted, Source source, Move move) {
    OpenAction open = open(store, wanted);
    AdminAction action = open.action();
    if (action.state() != State.RUNNING) {
      return new Step(action, List.of());
    }
    Batch batch = source.next(store, open.place(), action.startedAt());
    List<EntryId> moved = batch.ids.isEmpty() ? List.of() : move.apply(store, batch.ids);
    return new Step(store.advance(action.id(), moved.size(), batch.next), moved);
  }

  private static OpenAction open(AdminStore store, NewAction wanted) {
    OpenAction open = store.open(wanted);
    AdminAction action = open.action();
    if (action.kind() != wanted.kind() || !action.target().equals(wanted.target())) {
      throw new IllegalArgumentException(
          "Nothing done: action %s is recorded as %s of \"%s\", but this is %s of \"%s\"; take another id"
              .formatted(
                  action.id(), action.kind(), action.target(), wanted.kind(), wanted.target()));
    }
    return open;
  }

  /**
   * Something that is done in one transaction, to one thing or to none.
   *
   * @param work says whether it changed anything
   */
  AdminAction once(Kind kind, String target, ActionRun run, BiPredicate<AdminStore, UUID> work) {
    NewAction wanted = action(run.id(), kind, target);
    return store()
        .together(
            store -> {
              AdminAction action = open(store, wanted).action();
              return action.state() == State.RUNNING
                  ? store.advance(wanted.id(), work.test(store, wanted.id()) ? 1 : 0, null)
                  : action;
            });
  }

  /** Tells relays and listeners what was done to messages. */
  void tell(Kind kind, List<EntryId> entries) {
    if (!entries.isEmpty()) {
      BitSet partitions = new BitSet();
      entries.forEach(id -> partitions.set(id.partition()));
      setting.touched().accept(partitions);
      setting.listeners().tell(listener -> listener.byHand(kind, entries));
    }
  }
}
