/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Resolution;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tables of an in-memory store. All fields but the clock are guarded by the lock. */
final class InMemoryTables {
  final Clock clock;
  final Map<Key, StoredMessage> ready = new TreeMap<>();
  final Map<HandlerKey, Deferred> deferred = new TreeMap<>();
  final Map<HandlerKey, Dead> dead = new TreeMap<>();
  final List<HistoryEntry> history = new ArrayList<>();
  final Set<FleetSurvey.Pause> pauses = new HashSet<>();
  final InMemoryActions actions = new InMemoryActions();
  final Map<RelayIdentity, Instance> instances = new LinkedHashMap<>();
  final List<RelayIdentity> fenced = new ArrayList<>(); // one entry for each open transaction
  final List<Gone> gone = new ArrayList<>();
  final List<PartitionOwner> partitions = new ArrayList<>();
  long nextIncarnation = 1;
  private final ReentrantLock lock = new ReentrantLock();
  private long nextSeq = 1;

  InMemoryTables(Clock clock, int partitions) {
    this.clock = clock;
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new PartitionOwner(i, null, 0));
    }
  }

  record Key(int partition, long seq) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return Comparator.comparingInt(Key::partition)
          .thenComparingLong(Key::seq)
          .compare(this, other);
    }
  }

  record HandlerKey(int partition, long seq, String handler) implements Comparable<HandlerKey> {
    @Override
    public int compareTo(HandlerKey other) {
      return Comparator.comparingInt(HandlerKey::partition)
          .thenComparingLong(HandlerKey::seq)
          .thenComparing(HandlerKey::handler)
          .compare(this, other);
    }
  }

  /** A row of the deferred table. */
  record Deferred(
      StoredMessage message,
      boolean inLane,
      DeferReason reason,
      int attempts,
      @Nullable Instant dueAt,
      @Nullable String error,
      Instant since) {
    Deferred dueAt(Instant time) {
      return new Deferred(message, inLane, reason, attempts, time, error, since);
    }

    /** The lane in which it stands, if it does. */
    Optional<LaneId> lane(String handler) {
      String key = message.envelope().key();
      return inLane && key != null
          ? Optional.of(new LaneId(message.partition(), handler, key))
          : Optional.empty();
    }
  }

  /** A row of the dead letter table. */
  record Dead(StoredMessage message, int attempts, String error, Instant diedAt) {}

  /** A row of the instance table, with its row of the heartbeat table. */
  record Instance(
      Map<String, Set<String>> handlers,
      Instant goodUntil,
      Duration lease,
      boolean retired,
      @Nullable String report) {
    /** None once it has retired. */
    Map<String, Set<String>> handled() {
      return retired ? Map.of() : handlers;
    }

    boolean stale(Instant now) {
      return goodUntil.isBefore(now) || isAhead(now);
    }

    /** Whether the clock has gone back since the end was stated. */
    boolean isAhead(Instant now) {
      return goodUntil.isAfter(now.plus(lease).plusSeconds(1));
    }

    Instance goodUntil(Instant end) {
      return new Instance(handlers, end, lease, retired, report);
    }

    Instance beat(Instant end, String said) {
      return new Instance(handlers, end, lease, retired, said);
    }

    Instance retire() {
      return new Instance(handlers, goodUntil, lease, true, report);
    }
  }

  /** A row of the table of handlers that are gone. */
  record Gone(String handler, RelayIdentity instance, Set<String> types, Instant since) {}

  /** Notes the handlers of an instance as gone. */
  void goes(RelayIdentity instance, @Nullable Instance row) {
    if (row != null) {
      row.handled()
          .forEach((name, types) -> gone.add(new Gone(name, instance, types, clock.instant())));
    }
  }

  <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Runs what an operator does; if it fails, all of its changes are lost. */
  <T> T together(Supplier<T> action) {
    return locked(
        () -> {
          List<Runnable> undo =
              List.of(
                  restoring(deferred),
                  restoring(dead),
                  restoring(history),
                  restoring(pauses),
                  restoring(gone),
                  restoring(actions.rows));
          try {
            return action.get();
          } catch (RuntimeException | Error e) {
            undo.forEach(Runnable::run);
            throw e;
          }
        });
  }

  private static <K, V> Runnable restoring(Map<K, V> rows) {
    Map<K, V> before = new HashMap<>(rows);
    return () -> {
      rows.clear();
      rows.putAll(before);
    };
  }

  private static <R> Runnable restoring(Collection<R> rows) {
    List<R> before = new ArrayList<>(rows);
    return () -> {
      rows.clear();
      rows.addAll(before);
    };
  }

  /** A row with a fresh seq. */
  StoredMessage stored(int partition, Envelope envelope, Instant createdAt) {
    return new StoredMessage(partition, nextSeq++, envelope, createdAt, null);
  }

  StoredMessage insertReady(StoredMessage row) {
    ready.put(new Key(row.partition(), row.seq()), row);
    return row;
  }

  /** The first row of each lane is due unless it has a time of its own: relays look for times. */
  void wakeLanes() {
    Set<LaneId> seen = new HashSet<>();
    for (Map.Entry<HandlerKey, Deferred> row : deferred.entrySet()) { // in seq order
      LaneId lane = row.getValue().lane(row.getKey().handler).orElse(null);
      if (lane != null && seen.add(lane) && row.getValue().dueAt == null) {
        row.setValue(row.getValue().dueAt(clock.instant()));
      }
    }
  }

  /** The lowest seq of each lane. */
  Map<LaneId, Long> firstOfLanes() {
    Map<LaneId, Long> first = new HashMap<>();
    deferred.forEach( // in seq order
        (key, row) -> row.lane(key.handler).ifPresent(lane -> first.putIfAbsent(lane, key.seq)));
    return first;
  }

  /** Whether all rows are there that an outcome is about. */
  boolean has(Settlement settlement) {
    return settlement.ready().stream()
            .allMatch(row -> ready.containsKey(new Key(row.partition(), row.seq())))
        && settlement.deferred().stream()
            .allMatch(
                row ->
                    deferred.containsKey(
                        new HandlerKey(row.partition(), row.seq(), row.handler())));
  }

  StoredMessage insertDelayed(StoredMessage row, Instant dueAt) {
    deferred.put(
        new HandlerKey(row.partition(), row.seq(), DeferredMessage.UNDECIDED),
        new Deferred(row, false, DeferReason.DELAYED, 0, dueAt, null, clock.instant()));
    return row;
  }

  /** Adds a message to the history of a handler; the resolution is null if it was delivered. */
  void keep(HandlerKey key, StoredMessage message, @Nullable Resolution resolution) {
    history.add(new HistoryEntry(message, key.handler(), clock.instant(), resolution));
  }

  /** As a read shows it now. */
  StoredMessage aged(StoredMessage row) {
    Instant expiry = row.envelope().expiresAt();
    Duration expiresIn = expiry == null ? null : Duration.between(clock.instant(), expiry);
    return new StoredMessage(
        row.partition(), row.seq(), row.envelope(), row.createdAt(), expiresIn);
  }

  Duration until(@Nullable Instant time) {
    return time == null ? Duration.ZERO : Duration.between(clock.instant(), time);
  }

  /** What is stored now. */
  StoredRows rows() {
    return locked(
        () ->
            new StoredRows(
                ready.values().stream()
                    .map(
                        row ->
                            new StoredRows.Ready(
                                row.partition(),
                                row.seq(),
                                row.envelope().type(),
                                row.envelope().key()))
                    .toList(),
                deferred.entrySet().stream()
                    .map(row -> visible(row.getKey(), row.getValue()))
                    .toList(),
                dead.entrySet().stream().map(row -> visible(row.getKey(), row.getValue())).toList(),
                instances.entrySet().stream()
                    .map(row -> new LiveInstance(row.getKey(), row.getValue().handled(), false))
                    .toList(),
                partitions));
  }

  private static StoredRows.Deferred visible(HandlerKey key, Deferred row) {
    Envelope envelope = row.message.envelope();
    return new StoredRows.Deferred(
        key.partition,
        key.seq,
        envelope.type(),
        envelope.key(),
        key.handler,
        row.reason.name(),
        row.attempts,
        row.error);
  }

  private static StoredRows.Dead visible(HandlerKey key, Dead row) {
    Envelope envelope = row.message.envelope();
    return new StoredRows.Dead(
        key.partition,
        key.seq,
        envelope.type(),
        envelope.key(),
        key.handler,
        row.attempts,
        row.error);
  }
}
