/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What is known of the deferred rows of one partition: which handlers may have some, and which rows
 * are in memory. A row stays in the set beyond its settling, until the next read begins: a read
 * that began before the settle committed may still return it. Guarded by the memory's lock.
 */
final class DeferredRows {
  /** A row that is in memory. */
  record Row(long seq, String handler) {}

  /** Whether rows of a handler are on their way, and when the last one arrived. */
  private static final class Traffic {
    int moving;
    long lastArrival = Long.MIN_VALUE;
  }

  /** So many rows that are gone are walked over by reads at the most, as a rule. */
  private static final int MANY_GONE = 100;

  private static final long FEW_GONE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * A store keeps the floor of due times some seconds behind the present. What was deleted within
   * these is still above the floor when it has been raised, and stays there unless it is raised
   * once more.
   */
  static final long FLOOR_LAG_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<String, Traffic> byHandler = new HashMap<>();
  private final Set<Row> inMemory = new HashSet<>();
  private final List<Row> leaving = new ArrayList<>();
  private final Deque<Abandoned> abandoned = new ArrayDeque<>();
  private int gone; // since the floor was raised
  private long raisedAt;
  private int raisesOwed; // whatever happens

  /** A row whose outcome could not be stored, and when it is read again. */
  private record Abandoned(Row row, long until) {}

  /**
   * Of a partition that is taken now. Any number of rows may have been deleted by the owner before,
   * until now: the floor is raised at once, and again when it can pass over the last of them.
   */
  DeferredRows(long now) {
    raisedAt = now - FLOOR_LAG_NANOS;
    raisesOwed = 2;
  }

  /** Handlers that may have rows. */
  Set<String> handlers() {
    return byHandler.keySet();
  }

  /** A row of this handler is on its way to the table. */
  void moves(String handler) {
    byHandler.computeIfAbsent(handler, any -> new Traffic()).moving++;
  }

  /** It is there now, or never will be. */
  void arrived(String handler, long event) {
    Traffic traffic = byHandler.computeIfAbsent(handler, any -> new Traffic());
    traffic.moving--;
    traffic.lastArrival = event;
  }

  /** A look at the table, begun at this event, has found rows of these handlers and no others. */
  void found(Set<String> handlers, long lookBegan) {
    byHandler
        .entrySet()
        .removeIf(
            known ->
                !handlers.contains(known.getKey())
                    && known.getValue().moving == 0
                    && known.getValue().lastArrival < lookBegan);
    handlers.forEach(handler -> byHandler.computeIfAbsent(handler, any -> new Traffic()));
  }

  /** A row comes to memory; false if it is there already or has just left. */
  boolean enter(long seq, String handler) {
    return inMemory.add(new Row(seq, handler));
  }

  void leave(long seq, String handler) {
    leaving.add(new Row(seq, handler));
    gone++;
  }

  /**
   * Whether reads should begin elsewhere: many rows are gone, or all, or some for a while, or those
   * that were gone when the floor was raised last may be above it.
   */
  boolean wantsFloorRaised(long now) {
    return gone >= MANY_GONE
        || (gone > 0 && (byHandler.isEmpty() || now - raisedAt >= FEW_GONE_NANOS))
        || (raisesOwed > 0 && now - raisedAt >= FLOOR_LAG_NANOS);
  }

  void floorRaised(long now) {
    raisesOwed = gone > 0 ? 1 : Math.max(0, raisesOwed - 1);
    gone = 0;
    raisedAt = now;
  }

  /** A row whose outcome can't be stored is not read again until then. */
  void abandon(long seq, String handler, long until) {
    abandoned.add(new Abandoned(new Row(seq, handler), until));
  }

  /** A read begins: what left before it cannot be returned by it. */
  void readBegins(long now) {
    leaving.forEach(inMemory::remove);
    leaving.clear();
    while (!abandoned.isEmpty() && abandoned.element().until - now <= 0) {
      inMemory.remove(abandoned.remove().row);
    }
  }

  Set<Row> inMemory() {
    return inMemory;
  }
}
