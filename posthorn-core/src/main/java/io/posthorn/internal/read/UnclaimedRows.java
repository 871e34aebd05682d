/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.HandlerSpec;
import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.memory.HeldPartition;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.RelayStore.UnclaimedKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Decides about deferred rows that nobody takes where they are, by handler and type and not one by
 * one: rows whose answer may have changed become due, those of handlers that no live instance has
 * had for the grace time become dead letters, and all others are left alone, however long they
 * wait. Looks now and then, and soon after the fleet or the held partitions have changed. Reader
 * thread only.
 */
final class UnclaimedRows {
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  /** For how long a lane waits for a type that its handler takes in no live instance any more. */
  private static final Duration LANE_WAITS = Duration.ofSeconds(30);

  private static final int MAX_KINDS = 1_000;
  private static final int PAGE_ROWS = 1_000;
  private static final int BURIED_PER_PAGE = 200; // these go through the memory
  private static final int PAGES_PER_PASS = 16;

  /** Does something to rows behind a seq; returns the last one, or empty if there are no more. */
  private record Work(LongFunction<OptionalLong> page, long afterSeq) {}

  /**
   * A handler that no live instance has, or a type that none takes for it.
   *
   * @param type empty: the whole handler
   */
  private record Absence(String handler, String type) {}

  private final RelayStore store;
  private final DueIntake memory;
  private final Reader.Setting setting;
  private final Map<String, HandlerSpec<?>> own = new HashMap<>();
  private final Map<Absence, Long> absentSince = new HashMap<>();
  private final Deque<Work> unfinished = new ArrayDeque<>();
  private final Set<HeldPartition> asked = new HashSet<>(); // where own handlers have been asked
  private Fleet seen = Fleet.NONE;
  private boolean lookWanted = true;
  private long lookedAt;

  UnclaimedRows(RelayStore store, DueIntake memory, Reader.Setting setting) {
    this.store = store;
    this.memory = memory;
    this.setting = setting;
    setting.handlers().specs().forEach(spec -> own.put(spec.name(), spec));
  }

  /** Partitions have come. */
  void requestLook() {
    lookWanted = true;
  }

  /** Whether what the last look has found is not at its end. */
  boolean isUnfinished() {
    return !unfinished.isEmpty();
  }

  /**
   * Looks, if it is time to, and goes on with what was found.
   *
   * @return how many pages of rows were changed
   */
  int runOnce() {
    RelayIdentity me = setting.identity().get().orElse(null);
    if (me == null) {
      return 0;
    }
    if (unfinished.isEmpty() && isTimeToLook()) {
      look(me);
    }
    int pages = 0;
    while (pages < PAGES_PER_PASS && !unfinished.isEmpty() && !memory.isFull()) {
      Work work = unfinished.element();
      OptionalLong last = work.page.apply(work.afterSeq);
      unfinished.remove();
      last.ifPresent(seq -> unfinished.addFirst(new Work(work.page, seq)));
      pages++;
    }
    return pages;
  }

  private boolean isTimeToLook() {
    Fleet now = setting.fleet().get();
    boolean changed = !now.hasHandlersOf(seen);
    seen = now;
    lookWanted |= changed || setting.ticker().nanos() - lookedAt >= INTERVAL.toNanos();
    return lookWanted;
  }

  private void look(RelayIdentity me) {
    Map<Integer, HeldPartition> held = memory.readablePartitions();
    Set<Absence> absent = new HashSet<>();
    for (UnclaimedKind kind : store.unclaimed(held.keySet(), MAX_KINDS)) {
      if (mayHaveChanged(kind, !asked.contains(held.get(kind.partition())), absent)) {
        unfinished.add(new Work(seq -> store.makeDue(me, kind, seq, PAGE_ROWS), Long.MIN_VALUE));
      }
    }
    Map<Integer, Set<String>> handlers = memory.deferredHandlers();
    held.forEach(
        (number, partition) ->
            handlers
                .getOrDefault(number, Set.of())
                .forEach(handler -> buryIfGone(partition, handler, absent)));
    absentSince.keySet().retainAll(absent);
    asked.retainAll(held.values());
    asked.addAll(held.values());
    lookedAt = setting.ticker().nanos();
    lookWanted = false;
  }

  /**
   * Whether a row of this kind might be treated differently now than when it was stored.
   *
   * @param fresh whether its partition has come since the last look
   */
  private boolean mayHaveChanged(UnclaimedKind kind, boolean fresh, Set<Absence> absent) {
    String today = setting.handlers().today(kind.type());
    Fleet.Elsewhere elsewhere = seen.elsewhere(kind.type(), today);
    boolean unclaimed = kind.reason() == DeferReason.UNCLAIMED;
    if (kind.handler().equals(DeferredMessage.UNDECIDED)) {
      return !elsewhere.typed().isEmpty()
          || (fresh && own.values().stream().anyMatch(spec -> mayTake(spec, today)))
          || unclaimed != elsewhere.none();
    }
    HandlerSpec<?> spec = own.get(kind.handler());
    if (spec == null) {
      return false; // another instance has it, or it is gone
    }
    if (mayTake(spec, today)) {
      return true;
    }
    if (elsewhere.has(kind.handler())) {
      return unclaimed;
    }
    Absence absence = new Absence(kind.handler(), today);
    absent.add(absence);
    return !unclaimed && isAbsentFor(absence, LANE_WAITS);
  }

  /** Whether no live instance has taken this type for a handler for as long as a lane waits. */
  boolean isMissed(String handler, String type) {
    return isAbsentFor(new Absence(handler, type), LANE_WAITS);
  }

  /** How long is counted by the relay that looks. A restart begins anew, which loses nothing. */
  private boolean isAbsentFor(Absence absence, Duration time) {
    long now = setting.ticker().nanos();
    return now - absentSince.computeIfAbsent(absence, any -> now) >= time.toNanos();
  }

  private static boolean mayTake(HandlerSpec<?> spec, String type) {
    return spec.types().isEmpty() || spec.types().contains(type);
  }

  /** Gives up rows of a handler that no live instance has had for the grace time. */
  private void buryIfGone(HeldPartition partition, String handler, Set<Absence> absent) {
    if (!isGone(handler)) {
      return;
    }
    Absence absence = new Absence(handler, "");
    absent.add(absence);
    if (isAbsentFor(absence, setting.options().unknownTypeGrace())) {
      unfinished.add(new Work(seq -> bury(partition, handler, seq), Long.MIN_VALUE));
    }
  }

  private boolean isGone(String handler) {
    return !handler.equals(DeferredMessage.UNDECIDED)
        && !own.containsKey(handler)
        && !setting.fleet().get().handlers().contains(handler);
  }

  private OptionalLong bury(HeldPartition partition, String handler, long afterSeq) {
    if (!isGone(handler)) {
      return OptionalLong.empty(); // it has come back
    }
    Slice slice = new Slice(partition.partition(), afterSeq, BURIED_PER_PAGE);
    List<DeferredMessage> rows = store.readHandler(handler, List.of(slice));
    String error =
        "no live instance has had handler \"%s\" for %s"
            .formatted(handler, setting.options().unknownTypeGrace());
    memory.acceptOrphans(
        partition,
        rows.stream()
            .filter(row -> row.reason() != DeferReason.BLOCKED)
            .map(row -> new DueIntake.Routed(row, orphan(row, error)))
            .toList());
    return rows.size() < BURIED_PER_PAGE
        ? OptionalLong.empty()
        : OptionalLong.of(rows.get(rows.size() - 1).message().seq());
  }

  private static Fate orphan(DeferredMessage row, String error) {
    return row.reason() == DeferReason.SETTLED
        ? Fate.DELIVERED
        : new Fate.Dead(row.attempts(), error);
  }
}
