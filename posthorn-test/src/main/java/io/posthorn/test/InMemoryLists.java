/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.spi.AdminStore.Counted;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.AdminStore.Slice;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.InMemoryTables.Dead;
import io.posthorn.test.InMemoryTables.Deferred;
import io.posthorn.test.InMemoryTables.HandlerKey;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists of an in-memory store, and what of them matches. Guarded by the lock of the tables. */
final class InMemoryLists {
  static final Comparator<Place> BY_SEQ =
      Comparator.<Place>comparingLong(place -> place.id().seq())
          .thenComparing(place -> place.id().handler())
          .thenComparing(Place::time, Comparator.nullsFirst(Comparator.naturalOrder()));
  static final Comparator<Place> BY_LANE =
      Comparator.<Place>comparingInt(place -> place.id().partition())
          .thenComparing(place -> place.id().handler())
          .thenComparingLong(place -> place.id().seq());

  private final InMemoryTables tables;

  InMemoryLists(InMemoryTables tables) {
    this.tables = tables;
  }

  /** All entries of all lists, with their payloads. */
  Stream<Entry> everything() {
    Stream<Entry> ready =
        tables.ready.values().stream().map(row -> new ReadyMessage(tables.aged(row)));
    Stream<Entry> deferred =
        tables.deferred.entrySet().stream()
            .map(
                row ->
                    deferred(tables.aged(row.getValue().message()), row.getKey(), row.getValue()));
    Stream<Entry> dead =
        tables.dead.entrySet().stream()
            .map(
                row ->
                    deadLetter(
                        tables.aged(row.getValue().message()), row.getKey(), row.getValue()));
    return Stream.of(ready, deferred, dead, tables.history.stream().map(row -> (Entry) row))
        .flatMap(rows -> rows);
  }

  Stream<ReadyMessage> ready(Filter filter) {
    return tables.ready.values().stream()
        .map(row -> new ReadyMessage(listed(row)))
        .filter(row -> matches(filter, row, null, row.message().createdAt()));
  }

  static DeadLetter deadLetter(StoredMessage message, HandlerKey key, Dead row) {
    return new DeadLetter(message, key.handler(), row.attempts(), row.error(), row.diedAt());
  }

  Stream<DeadLetter> dead(Filter filter) {
    return tables.dead.entrySet().stream()
        .map(row -> deadLetter(listed(row.getValue().message()), row.getKey(), row.getValue()))
        .filter(letter -> matches(filter, letter, letter.error(), letter.diedAt()));
  }

  static DeferredEntry deferred(StoredMessage message, HandlerKey key, Deferred row) {
    return new DeferredEntry(
        message,
        key.handler(),
        row.reason(),
        row.attempts(),
        row.error(),
        row.dueAt(),
        row.since());
  }

  Stream<DeferredEntry> deferred(Filter filter) {
    return tables.deferred.entrySet().stream()
        .map(row -> deferred(listed(row.getValue().message()), row.getKey(), row.getValue()))
        .filter(row -> same(filter.reason(), row.reason()))
        .filter(row -> matches(filter, row, row.lastError(), row.deferredAt()));
  }

  Stream<HistoryEntry> history(Filter filter) {
    return tables.history.stream()
        .map(
            row ->
                new HistoryEntry(
                    listed(row.message()),
                    row.handler(),
                    row.deliveredAt(),
                    row.resolution(),
                    row.error()))
        .filter(row -> !filter.resolvedOnly() || row.resolution() != null)
        .filter(row -> matches(filter, row, null, row.deliveredAt()));
  }

  static boolean matches(Filter filter, Entry entry, @Nullable String error, Instant time) {
    Envelope envelope = entry.message().envelope();
    Instant from = filter.from();
    Instant to = filter.to();
    return same(filter.type(), envelope.type())
        && same(filter.handler(), entry.handler())
        && same(filter.key(), envelope.key())
        && same(filter.tenant(), envelope.tenant())
        && same(filter.messageId(), envelope.id())
        && contains(error, filter.errorContains())
        && (from == null || !time.isBefore(from))
        && (to == null || time.isBefore(to));
  }

  static boolean same(@Nullable Object wanted, @Nullable Object found) {
    return wanted == null || wanted.equals(found);
  }

  static boolean contains(@Nullable String error, @Nullable String part) {
    return part == null || (error != null && error.contains(part));
  }

  static Place place(Entry entry) {
    return new Place(
        entry.id(), entry instanceof HistoryEntry delivered ? delivered.deliveredAt() : null);
  }

  static <T extends Entry> List<T> sorted(
      Stream<T> entries, Comparator<Place> order, @Nullable Place after) {
    return entries
        .filter(entry -> after == null || order.compare(place(entry), after) > 0)
        .sorted(Comparator.comparing(InMemoryLists::place, order))
        .toList();
  }

  static <T extends Entry> Slice<T> page(
      Stream<T> entries, Comparator<Place> order, @Nullable Place after, int limit) {
    List<T> found = sorted(entries, order, after);
    return found.size() <= limit
        ? new Slice<>(found, null)
        : new Slice<>(found.subList(0, limit), place(found.get(limit - 1)));
  }

  /** Nothing is left to count later: that costs no more than to count a part. */
  static <T extends Entry> Counted count(
      Stream<T> entries, Comparator<Place> order, @Nullable Place after) {
    return new Counted(sorted(entries, order, after).size(), null);
  }

  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  private StoredMessage listed(StoredMessage row) {
    Envelope full = row.envelope();
    Envelope light =
        new Envelope(
            full.id(),
            full.type(),
            full.aggregateType(),
            full.key(),
            full.tenant(),
            full.headers(),
            full.contentType(),
            null,
            full.occurredAt(),
            full.expiresAt());
    return tables.aged(new StoredMessage(row.partition(), row.seq(), light, row.createdAt(), null));
  }
}
