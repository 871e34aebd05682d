/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.Admin.Survey;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Original;
import io.posthorn.DatabaseHealth;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayIdentity;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators ask of an in-memory store. */
final class InMemoryAdminStore implements AdminStore {
  private final InMemoryTables tables;
  private final InMemoryActions actions;
  private final InMemoryLists lists;

  InMemoryAdminStore(InMemoryTables tables) {
    this.tables = tables;
    this.actions = tables.actions;
    this.lists = new InMemoryLists(tables);
  }

  @Override
  public Instant now() {
    return tables.clock.instant();
  }

  // --- actions

  @Override
  public <T> T together(Function<AdminStore, T> work) {
    return tables.together(() -> work.apply(this));
  }

  @Override
  public OpenAction open(NewAction action) {
    return tables.locked(() -> actions.open(action, now()));
  }

  @Override
  public AdminAction advance(UUID id, long entries, @Nullable String place) {
    return tables.locked(() -> actions.advance(id, entries, place, now()));
  }

  @Override
  public void keepOriginal(UUID id, Original original) {
    tables.locked(() -> actions.keepOriginal(id, original));
  }

  @Override
  public boolean stopAction(UUID id) {
    return tables.locked(() -> actions.stop(id, now()));
  }

  @Override
  public Optional<AdminAction> action(UUID id) {
    return tables.locked(() -> actions.find(id));
  }

  @Override
  public List<AdminAction> actions(@Nullable ActionPlace after, int limit) {
    return tables.locked(() -> actions.list(after, limit));
  }

  // --- ids

  private static HandlerKey key(EntryId id) {
    return new HandlerKey(id.partition(), id.seq(), id.handler());
  }

  private static EntryId id(HandlerKey key) {
    return new EntryId(key.partition(), key.seq(), key.handler());
  }

  // --- ready messages

  @Override
  public Slice<ReadyMessage> ready(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(
        () -> InMemoryLists.page(lists.ready(filter), InMemoryLists.BY_LANE, after, limit));
  }

  // --- dead letters

  @Override
  public Optional<DeadLetter> deadLetter(EntryId id) {
    return tables.locked(
        () ->
            Optional.ofNullable(tables.dead.get(key(id)))
                .map(row -> InMemoryLists.deadLetter(tables.aged(row.message()), key(id), row)));
  }

  @Override
  public Optional<DeadLetter> lockDeadLetter(EntryId id) {
    return deadLetter(id);
  }

  @Override
  public Slice<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(
        () -> InMemoryLists.page(lists.dead(filter), InMemoryLists.BY_SEQ, after, limit));
  }

  @Override
  public Counted countDeadLetters(Filter filter, @Nullable Place after) {
    return tables.locked(
        () -> InMemoryLists.count(lists.dead(filter), InMemoryLists.BY_SEQ, after));
  }

  @Override
  public List<DeadLetter> latestDeadLetters(@Nullable String handler, int limit) {
    Filter filter = handler == null ? Filter.all() : Filter.all().handler(handler);
    return tables.locked(
        () ->
            lists
                .dead(filter)
                .sorted(Comparator.comparing(InMemoryLists::place, InMemoryLists.BY_SEQ).reversed())
                .limit(limit)
                .toList());
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
  public List<EntryId> remove(Collection<EntryId> ids, @Nullable Resolution resolution) {
    return each(
        ids,
        key -> {
          Dead row = tables.dead.remove(key);
          if (row == null) {
            return false;
          }
          if (resolution != null) {
            tables.keep(key, row.message(), resolution);
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
    return edit(id, was -> edited(was, headers, was.payload()));
  }

  @Override
  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  public boolean setPayload(EntryId id, byte @Nullable [] payload) {
    return edit(id, was -> edited(was, was.headers(), payload));
  }

  private boolean edit(EntryId id, UnaryOperator<Envelope> edit) {
    return tables.locked(
        () ->
            tables.dead.computeIfPresent(
                    key(id),
                    (key, row) -> {
                      StoredMessage old = row.message();
                      Envelope is = edit.apply(old.envelope());
                      return new Dead(
                          new StoredMessage(old.partition(), old.seq(), is, old.createdAt(), null),
                          row.attempts(),
                          row.error(),
                          row.diedAt());
                    })
                != null);
  }

  @SuppressWarnings("NullAway") // it does not find the annotation on the array in a class file
  private static Envelope edited(
      Envelope was, Map<String, String> headers, byte @Nullable [] payload) {
    return new Envelope(
        was.id(),
        was.type(),
        was.aggregateType(),
        was.key(),
        was.tenant(),
        headers,
        was.contentType(),
        payload,
        was.occurredAt(),
        was.expiresAt());
  }

  // --- deferred messages

  @Override
  public Optional<DeferredEntry> deferred(EntryId id) {
    return tables.locked(
        () ->
            Optional.ofNullable(tables.deferred.get(key(id)))
                .map(row -> InMemoryLists.deferred(tables.aged(row.message()), key(id), row)));
  }

  @Override
  public Slice<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(
        () -> InMemoryLists.page(lists.deferred(filter), InMemoryLists.BY_LANE, after, limit));
  }

  @Override
  public Counted countDeferred(Filter filter, @Nullable Place after) {
    return tables.locked(
        () -> InMemoryLists.count(lists.deferred(filter), InMemoryLists.BY_LANE, after));
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

  @Override
  public Slice<HistoryEntry> history(Filter filter, @Nullable Place after, int limit) {
    return tables.locked(
        () -> InMemoryLists.page(lists.history(filter), InMemoryLists.BY_SEQ, after, limit));
  }

  @Override
  public Counted countHistory(Filter filter, @Nullable Place after) {
    return tables.locked(
        () -> InMemoryLists.count(lists.history(filter), InMemoryLists.BY_SEQ, after));
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

  // --- fleet

  @Override
  public FleetSurvey fleet() {
    return new InMemoryRelayStore(tables, Duration.ZERO).survey();
  }

  @Override
  public List<Report> reports() {
    return tables.locked(
        () ->
            tables.instances.entrySet().stream()
                .map(row -> report(row.getKey(), row.getValue()))
                .toList());
  }

  private static Report report(RelayIdentity identity, InMemoryTables.Instance row) {
    return new Report(identity, row.goodUntil(), row.goodUntil().minus(row.lease()), row.report());
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
