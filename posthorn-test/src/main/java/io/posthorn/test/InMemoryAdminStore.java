/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Survey;
import io.posthorn.DatabaseHealth;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.InMemoryTables.Dead;
import io.posthorn.test.InMemoryTables.Deferred;
import io.posthorn.test.InMemoryTables.HandlerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What people ask of an in-memory store. */
final class InMemoryAdminStore implements AdminStore {
  private static final Comparator<Place> BY_SEQ =
      Comparator.<Place>comparingLong(place -> place.id().seq())
          .thenComparing(place -> place.id().handler())
          .thenComparing(Place::time, Comparator.nullsFirst(Comparator.naturalOrder()));
  private static final Comparator<Place> BY_LANE =
      Comparator.<Place>comparingInt(place -> place.id().partition())
          .thenComparing(place -> place.id().handler())
          .thenComparingLong(place -> place.id().seq());

  private final InMemoryTables tables;

  InMemoryAdminStore(InMemoryTables tables) {
    this.tables = tables;
  }

  @Override
  public Instant now() {
    return tables.clock.instant();
  }

  // --- lists

  private static HandlerKey key(EntryId id) {
    return new HandlerKey(id.partition(), id.seq(), id.handler());
  }

  private static EntryId id(HandlerKey key) {
    return new EntryId(key.partition(), key.seq(), key.handler());
  }

  private static boolean matches(Filter filter, Entry entry, @Nullable String error, Instant time) {
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

  private static boolean same(@Nullable Object wanted, @Nullable Object found) {
    return wanted == null || wanted.equals(found);
  }

  private static boolean contains(@Nullable String error, @Nullable String part) {
    return part == null || (error != null && error.contains(part));
  }

  private static Place place(Entry entry) {
    return new Place(
        entry.id(), entry instanceof HistoryEntry delivered ? delivered.deliveredAt() : null);
  }

  private <T extends Entry> List<T> page(
      Stream<T> entries, Comparator<Place> order, @Nullable Place after, int limit) {
    return entries
        .filter(entry -> after == null || order.compare(place(entry), after) > 0)
        .sorted(Comparator.comparing(InMemoryAdminStore::place, order))
        .limit(limit)
        .toList();
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

  // --- dead letters

  private static DeadLetter deadLetter(StoredMessage message, HandlerKey key, Dead row) {
    return new DeadLetter(message, key.handler(), row.attempts(), row.error(), row.diedAt());
  }

  private Stream<DeadLetter> dead(Filter filter) {
    return tables.dead.entrySet().stream()
        .map(row -> deadLetter(listed(row.getValue().message()), row.getKey(), row.getValue()))
        .filter(letter -> matches(filter, letter, letter.error(), letter.diedAt()));
  }

  @Override
  public Optional<DeadLetter> deadLetter(EntryId id) {
    return tables.locked(
        () ->
            Optional.ofNullable(tables.dead.get(key(id)))
                .map(row -> deadLetter(tables.aged(row.message()), key(id), row)));
  }

  @Override
  public List<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(() -> page(dead(filter), BY_SEQ, after, limit));
  }

  @Override
  public long countDeadLetters(Filter filter) {
    return tables.locked(() -> dead(filter).count());
  }

  @Override
  public List<EntryId> retry(Collection<EntryId> ids) {
    return each(
        ids,
        key -> {
          Dead row = tables.dead.remove(key);
          if (row != null) {
            deliverAgain(key, row.message(), row.error());
          }
          return row != null;
        });
  }

  private void deliverAgain(HandlerKey key, StoredMessage message, @Nullable String error) {
    boolean inLane =
        message.envelope().key() != null && !key.handler().equals(DeferredMessage.UNDECIDED);
    tables.deferred.put(
        key, new Deferred(message, inLane, DeferReason.RETRYING, 0, now(), error, now()));
  }

  private List<EntryId> each(Collection<EntryId> ids, Predicate<HandlerKey> move) {
    return tables.locked(
        () ->
            ids.stream()
                .map(InMemoryAdminStore::key)
                .sorted()
                .distinct()
                .filter(move)
                .map(InMemoryAdminStore::id)
                .toList());
  }

  @Override
  public List<EntryId> remove(Collection<EntryId> ids, boolean keepHistory) {
    return each(
        ids,
        key -> {
          Dead row = tables.dead.remove(key);
          if (row == null) {
            return false;
          }
          if (keepHistory) {
            tables.keep(key, row.message());
          }
          Deferred marker = tables.deferred.get(key);
          if (marker != null && marker.reason() == DeferReason.BLOCKED) {
            tables.deferred.remove(key);
            marker.lane(key.handler()).ifPresent(this::goOn);
          }
          return true;
        });
  }

  @Override
  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  public boolean setHeaders(EntryId id, Map<String, String> headers) {
    return tables.locked(
        () ->
            tables.dead.computeIfPresent(
                    key(id),
                    (key, row) -> {
                      StoredMessage old = row.message();
                      Envelope was = old.envelope();
                      Envelope is =
                          new Envelope(
                              was.id(),
                              was.type(),
                              was.aggregateType(),
                              was.key(),
                              was.tenant(),
                              headers,
                              was.contentType(),
                              was.payload(),
                              was.occurredAt(),
                              was.expiresAt());
                      return new Dead(
                          new StoredMessage(old.partition(), old.seq(), is, old.createdAt(), null),
                          row.attempts(),
                          row.error(),
                          row.diedAt());
                    })
                != null);
  }

  // --- deferred messages

  private static DeferredEntry deferred(StoredMessage message, HandlerKey key, Deferred row) {
    return new DeferredEntry(
        message,
        key.handler(),
        row.reason(),
        row.attempts(),
        row.error(),
        row.dueAt(),
        row.since());
  }

  private Stream<DeferredEntry> deferred(Filter filter) {
    return tables.deferred.entrySet().stream()
        .map(row -> deferred(listed(row.getValue().message()), row.getKey(), row.getValue()))
        .filter(row -> same(filter.reason(), row.reason()))
        .filter(row -> matches(filter, row, row.lastError(), row.deferredAt()));
  }

  @Override
  public Optional<DeferredEntry> deferred(EntryId id) {
    return tables.locked(
        () ->
            Optional.ofNullable(tables.deferred.get(key(id)))
                .map(row -> deferred(tables.aged(row.message()), key(id), row)));
  }

  @Override
  public List<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(() -> page(deferred(filter), BY_LANE, after, limit));
  }

  @Override
  public long countDeferred(Filter filter) {
    return tables.locked(() -> deferred(filter).count());
  }

  private boolean isMessage(HandlerKey key) {
    Deferred row = tables.deferred.get(key);
    return row != null && row.reason() != DeferReason.BLOCKED;
  }

  @Override
  public List<EntryId> runNow(Collection<EntryId> ids) {
    return each(ids, key -> isMessage(key) && makeDue(key));
  }

  private boolean makeDue(HandlerKey key) {
    tables.deferred.computeIfPresent(key, (any, row) -> row.dueAt(now()));
    return true;
  }

  @Override
  public List<EntryId> cancel(Collection<EntryId> ids) {
    return each(
        ids,
        key -> {
          if (!isMessage(key)) {
            return false;
          }
          Optional.ofNullable(tables.deferred.remove(key))
              .flatMap(row -> row.lane(key.handler()))
              .ifPresent(this::goOn);
          return true;
        });
  }

  private Stream<Map.Entry<HandlerKey, Deferred>> rowsOf(LaneId lane) {
    return tables.deferred.entrySet().stream()
        .filter(row -> row.getValue().lane(row.getKey().handler()).filter(lane::equals).isPresent())
        .sorted(Comparator.comparingLong(row -> row.getKey().seq()));
  }

  private void goOn(LaneId lane) {
    rowsOf(lane)
        .findFirst()
        .filter(head -> head.getValue().dueAt() == null)
        .ifPresent(head -> makeDue(head.getKey()));
  }

  @Override
  public Optional<EntryId> skipHead(LaneId lane, String error) {
    return tables.locked(
        () -> {
          // The key, not the entry: a removal from a tree may fill its entry with the next one.
          Optional<HandlerKey> head = rowsOf(lane).findFirst().map(Map.Entry::getKey);
          head.ifPresent(
              key -> {
                Deferred skipped = requireNonNull(tables.deferred.remove(key));
                if (skipped.reason() != DeferReason.BLOCKED) {
                  tables.dead.put(
                      key, new Dead(skipped.message(), skipped.attempts(), error, now()));
                }
                goOn(lane);
              });
          return head.map(InMemoryAdminStore::id);
        });
  }

  @Override
  public boolean block(LaneId lane) {
    return tables.locked(
        () -> {
          if (markers(lane).anyMatch(key -> key.seq() < 0)) {
            return false;
          }
          StoredMessage drawn = tables.stored(lane.partition(), marker(lane), now());
          long seq = -drawn.seq();
          tables.deferred.put(
              new HandlerKey(lane.partition(), seq, lane.handler()),
              new Deferred(
                  new StoredMessage(lane.partition(), seq, drawn.envelope(), now(), null),
                  true,
                  DeferReason.BLOCKED,
                  0,
                  now().plus(RetryPolicy.LONGEST_DELAY),
                  null,
                  now()));
          return true;
        });
  }

  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  private Envelope marker(LaneId lane) {
    return new Envelope(
        UUID.randomUUID(), "", null, lane.key(), null, Map.of(), "", null, now(), null);
  }

  private Stream<HandlerKey> markers(LaneId lane) {
    return rowsOf(lane)
        .filter(row -> row.getValue().reason() == DeferReason.BLOCKED)
        .map(Map.Entry::getKey);
  }

  @Override
  public int unblock(LaneId lane) {
    return tables.locked(
        () -> {
          List<HandlerKey> markers = markers(lane).toList();
          markers.forEach(tables.deferred::remove);
          if (!markers.isEmpty()) {
            goOn(lane);
          }
          return markers.size();
        });
  }

  // --- history

  private Stream<HistoryEntry> history(Filter filter) {
    return tables.history.stream()
        .map(row -> new HistoryEntry(listed(row.message()), row.handler(), row.deliveredAt()))
        .filter(row -> matches(filter, row, null, row.deliveredAt()));
  }

  @Override
  public List<HistoryEntry> history(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(() -> page(history(filter), BY_SEQ, after, limit));
  }

  @Override
  public long countHistory(Filter filter) {
    return tables.locked(() -> history(filter).count());
  }

  @Override
  public List<EntryId> replay(Collection<EntryId> ids) {
    return each(
        ids,
        key -> {
          Optional<HistoryEntry> kept =
              tables.history.stream().filter(row -> key(row.id()).equals(key)).findFirst();
          boolean free = !tables.deferred.containsKey(key) && !tables.dead.containsKey(key);
          kept.filter(row -> free).ifPresent(row -> deliverAgain(key, row.message(), null));
          return free && kept.isPresent();
        });
  }

  // --- handlers

  @Override
  public boolean forgetHandler(String name) {
    return tables.locked(() -> tables.gone.removeIf(row -> row.handler().equals(name)));
  }

  // --- pauses

  @Override
  public boolean pause(Paused kind, String name) {
    return tables.locked(
        () -> {
          boolean paused = find(kind, name).isPresent();
          return !paused && tables.pauses.add(new Pause(kind, name, now()));
        });
  }

  private Optional<Pause> find(Paused kind, String name) {
    return tables.pauses.stream()
        .filter(pause -> pause.kind() == kind && pause.name().equals(name))
        .findFirst();
  }

  @Override
  public boolean resume(Paused kind, String name) {
    return tables.locked(() -> find(kind, name).map(tables.pauses::remove).orElse(false));
  }

  @Override
  public List<Pause> pauses() {
    return tables.locked(
        () ->
            tables.pauses.stream()
                .sorted(Comparator.comparing(Pause::kind).thenComparing(Pause::name))
                .toList());
  }

  // --- survey

  @Override
  public Survey survey(int limit) {
    return tables.locked(() -> new InMemorySurvey(tables, limit).take());
  }

  // --- database

  @Override
  public DatabaseHealth databaseHealth(Duration patience) {
    return new DatabaseHealth(
        List.of(), null, null, null, List.of(), List.of("there is no database"));
  }
}
