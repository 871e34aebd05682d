/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Page;
import io.posthorn.Admin.Survey;
import io.posthorn.DatabaseHealth;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayListener.Action;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Does what people ask for: checks it, cuts it into batches, and tells the relays. */
public final class AdminDesk {
  private static final String SKIPPED = "skipped by hand";

  private final Supplier<AdminStore> stores;
  private final Setting setting;
  private final Batches batches;

  /**
   * What the desk needs beside the store.
   *
   * @param partitions how many there are; may open the store
   * @param keepHistory whether retention is on
   * @param touched told of partitions whose deferred rows have changed
   * @param steered told when something was paused, resumed or forgotten
   * @param listeners told of what was done to messages
   */
  public record Setting(
      IntSupplier partitions,
      boolean keepHistory,
      Consumer<BitSet> touched,
      Runnable steered,
      Listeners listeners) {}

  /**
   * @param stores asked at each use, never before: the first may open the store
   */
  public AdminDesk(Supplier<AdminStore> stores, Setting setting) {
    this.stores = stores;
    this.setting = setting;
    this.batches = new Batches(setting.touched());
  }

  private AdminStore store() {
    return stores.get();
  }

  // --- dead letters

  public Page<DeadLetter> deadLetters(Filter filter, @Nullable String cursor, int limit) {
    withoutReason(filter);
    return page(store()::deadLetters, filter, cursor, limit, false);
  }

  public long countDeadLetters(Filter filter) {
    return store().countDeadLetters(withoutReason(filter));
  }

  public Optional<DeadLetter> deadLetter(EntryId id) {
    return store().deadLetter(id);
  }

  public int retry(Collection<EntryId> ids) {
    return batches.each(ids, told(Action.RETRY, store()::retry));
  }

  public long retryAll(Filter filter) {
    Filter existing = untilNow(withoutReason(filter));
    return batches.all(
        after -> store().deadLetters(existing, after, AdminStore.MOST_IDS),
        told(Action.RETRY, store()::retry));
  }

  public int resolve(Collection<EntryId> ids) {
    return batches.each(
        ids, told(Action.RESOLVE, batch -> store().remove(batch, setting.keepHistory())));
  }

  public int delete(Collection<EntryId> ids) {
    return batches.each(ids, told(Action.DELETE, batch -> store().remove(batch, false)));
  }

  public boolean setHeaders(EntryId id, Map<String, String> headers) {
    Publisher.problemWith(headers)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("Headers not changed: " + problem);
            });
    return store().setHeaders(id, headers);
  }

  // --- deferred messages

  public Page<DeferredEntry> deferred(Filter filter, @Nullable String cursor, int limit) {
    return page(store()::deferred, filter, cursor, limit, false);
  }

  public long countDeferred(Filter filter) {
    return store().countDeferred(filter);
  }

  public Optional<DeferredEntry> deferred(EntryId id) {
    return store().deferred(id);
  }

  public int runNow(Collection<EntryId> ids) {
    return batches.each(ids, told(Action.RUN_NOW, store()::runNow));
  }

  public int cancel(Collection<EntryId> ids) {
    return batches.each(ids, told(Action.CANCEL, store()::cancel));
  }

  public long cancelAll(Filter filter) {
    Filter existing = untilNow(filter);
    return batches.all(
        after -> store().deferred(existing, after, AdminStore.MOST_IDS),
        told(Action.CANCEL, store()::cancel));
  }

  public Optional<EntryId> skipHead(String handler, String key) {
    LaneId lane = lane(handler, key);
    Optional<EntryId> skipped = store().skipHead(lane, SKIPPED);
    touched(lane, skipped.isPresent());
    skipped.ifPresent(id -> tell(Action.SKIP, List.of(id)));
    return skipped;
  }

  public boolean block(String handler, String key) {
    checkName(handler);
    LaneId lane = lane(handler, key);
    return touched(lane, store().block(lane));
  }

  public boolean unblock(String handler, String key) {
    LaneId lane = lane(handler, key);
    return touched(lane, store().unblock(lane) > 0);
  }

  private LaneId lane(String handler, String key) {
    return new LaneId(Publisher.partitionOf(key, setting.partitions().getAsInt()), handler, key);
  }

  private boolean touched(LaneId lane, boolean changed) {
    if (changed) {
      BitSet partition = new BitSet();
      partition.set(lane.partition());
      setting.touched().accept(partition);
    }
    return changed;
  }

  // --- history

  public Page<HistoryEntry> history(Filter filter, @Nullable String cursor, int limit) {
    withoutError(filter);
    return page(store()::history, filter, cursor, limit, true);
  }

  public long countHistory(Filter filter) {
    return store().countHistory(withoutError(filter));
  }

  public int replay(Collection<EntryId> ids) {
    return batches.each(ids, told(Action.REPLAY, store()::replay));
  }

  public long replayAll(Filter filter) {
    Filter existing = untilNow(withoutError(filter));
    return batches.all(
        after -> store().history(existing, after, AdminStore.MOST_IDS),
        told(Action.REPLAY, store()::replay));
  }

  // --- handlers

  public boolean forgetHandler(String name) {
    return steered(store().forgetHandler(name));
  }

  // --- pauses

  public boolean pauseHandler(String name) {
    checkName(name);
    return steered(store().pause(Paused.HANDLER, name));
  }

  public boolean resumeHandler(String name) {
    return steered(store().resume(Paused.HANDLER, name));
  }

  public boolean pausePartition(int partition) {
    return steered(store().pause(Paused.PARTITION, checked(partition)));
  }

  public boolean resumePartition(int partition) {
    return steered(store().resume(Paused.PARTITION, checked(partition)));
  }

  public List<Pause> pauses() {
    return store().pauses();
  }

  private boolean steered(boolean changed) {
    if (changed) {
      setting.steered().run();
    }
    return changed;
  }

  // --- survey

  public Survey survey(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit was %d but must be at least 1".formatted(limit));
    }
    return store().survey(limit);
  }

  // --- database

  public DatabaseHealth databaseHealth(Duration patience) {
    if (patience.isNegative()) {
      throw new IllegalArgumentException(
          "patience was %s but must not be negative".formatted(patience));
    }
    return store().databaseHealth(patience);
  }

  // --- listeners

  private Batches.Move told(Action action, Batches.Move move) {
    return batch -> {
      List<EntryId> moved = move.apply(batch);
      tell(action, moved);
      return moved;
    };
  }

  private void tell(Action action, List<EntryId> entries) {
    if (!entries.isEmpty()) {
      setting.listeners().tell(listener -> listener.byHand(action, entries));
    }
  }

  // --- checks

  private String checked(int partition) {
    int count = setting.partitions().getAsInt();
    if (partition < 0 || partition >= count) {
      throw new IllegalArgumentException(
          "partition was %d but must be between 0 and %d".formatted(partition, count - 1));
    }
    return Integer.toString(partition);
  }

  private static void checkName(String handler) {
    if (handler.isBlank() || handler.length() > 100) {
      throw new IllegalArgumentException(
          "the name of a handler had %d characters but must have 1 to 100, not all blank"
              .formatted(handler.length()));
    }
  }

  private static Filter withoutReason(Filter filter) {
    if (filter.reason() != null) {
      throw new IllegalArgumentException(
          "reason was %s but only deferred messages have one; leave it out"
              .formatted(filter.reason()));
    }
    return filter;
  }

  private static Filter withoutError(Filter filter) {
    if (filter.errorContains() != null) {
      throw new IllegalArgumentException(
          "errorContains was set but the history has no errors; leave it out");
    }
    return withoutReason(filter);
  }

  /**
   * What matches at this moment: something that dies, or is delivered, while a loop goes on is not
   * meant. Times have microseconds in the tables.
   */
  private Filter untilNow(Filter filter) {
    var soon = store().now().plusNanos(1_000);
    var to = filter.to();
    return to == null || to.isAfter(soon) ? filter.to(soon) : filter;
  }

  private interface Listing<T> {
    List<T> list(Filter filter, @Nullable Place after, int limit);
  }

  /** One entry more than asked for tells whether there is another page. */
  private static <T extends Admin.Entry> Page<T> page(
      Listing<T> listing, Filter filter, @Nullable String cursor, int limit, boolean timed) {
    if (limit < 1 || limit > Admin.LONGEST_PAGE) {
      throw new IllegalArgumentException(
          "limit was %d but must be between 1 and %d".formatted(limit, Admin.LONGEST_PAGE));
    }
    List<T> found = listing.list(filter, Places.parse(cursor, timed), limit + 1);
    if (found.size() <= limit) {
      return new Page<>(found, null);
    }
    List<T> items = found.subList(0, limit);
    return new Page<>(items, Places.text(Places.of(items.get(limit - 1))));
  }
}
