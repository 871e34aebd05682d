/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.test.schedule.SchedulePlan.Dimension;
import io.posthorn.test.schedule.SchedulePlan.HandlerPlan;
import io.posthorn.test.schedule.SchedulePlan.Kind;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What was published and what has become of it, and what of that breaks a promise. */
final class Truth {
  private final SchedulePlan plan;
  private final Map<Id, Entry> entries = new HashMap<>();
  private final Map<String, NavigableMap<Integer, Entry>> open = new HashMap<>(); // by lane
  private final Map<String, Running> running = new HashMap<>(); // by lane
  private final Map<String, Deque<Instant>> begun = new HashMap<>(); // by relay and handler
  private final Map<String, Integer> workers = new HashMap<>(); // by relay and handler
  private final List<Problem> problems = new ArrayList<>();
  private final Clock clock;
  private final boolean faultless;
  private int published;
  private int successes;

  /** Names what one handler is to get of one message. */
  record Id(String handler, UUID message) {}

  /**
   * What breaks a promise.
   *
   * @param rule the same for all of a kind
   */
  record Problem(String rule, String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * What is special about a message.
   *
   * @param dueAt null: it is not delayed, and stands in the order of its key
   * @param expiresAt null: never
   */
  record Times(@Nullable Instant dueAt, @Nullable Instant expiresAt) {}

  /** A delivery under way. */
  static final class Running { // two of them are never the same
    private final String relay;
    private final long epoch;

    Running(String relay, long epoch) {
      this.relay = relay;
      this.epoch = epoch;
    }

    @Override
    public String toString() {
      return "a delivery of " + relay + " in epoch " + epoch;
    }
  }

  /** What one handler is to get of one message. */
  static final class Entry {
    private final HandlerPlan handler;
    private final @Nullable String key;
    private final int number;
    private final Times times;
    private final Set<String> doneBy = new HashSet<>(); // relay and epoch
    private int successes; // of a transactional handler: those that were committed
    private boolean failed;
    private boolean givenUp;
    private boolean released;
    private boolean cancelled;
    private boolean touched;

    Entry(HandlerPlan handler, @Nullable String key, int number, Times times) {
      this.handler = handler;
      this.key = key;
      this.number = number;
      this.times = times;
    }

    HandlerPlan handler() {
      return handler;
    }

    private boolean hasExpired(Instant now) {
      return times.expiresAt != null && !now.isBefore(times.expiresAt);
    }

    /** Whether later ones of its lane may begin. Once they may, they always may. */
    private boolean letsPass(Instant now) {
      return successes > 0
          || hasExpired(now)
          || cancelled
          || released
          || (givenUp && handler.lanePolicy() == LanePolicy.HOLD)
          || (failed && handler.lanePolicy() == LanePolicy.PASS);
    }

    @Override
    public String toString() {
      return "%s %s%d".formatted(handler.name(), key == null ? "" : key + " ", number);
    }
  }

  Truth(SchedulePlan plan, Clock clock) {
    this.plan = plan;
    this.clock = clock;
    this.faultless = !plan.has(Dimension.DEATHS);
  }

  /** Messages are committed in the order of their numbers. */
  int published(UUID message, String type, @Nullable String key, Times times) {
    int number = published++;
    for (HandlerPlan handler : plan.handlersOf(type)) {
      Entry entry = new Entry(handler, key, number, times);
      entries.put(new Id(handler.name(), message), entry);
      if (key != null && times.dueAt == null) {
        open.computeIfAbsent(handler.name() + " " + key, any -> new TreeMap<>()).put(number, entry);
      }
    }
    return number;
  }

  void problem(String text, Object... arguments) {
    problems.add(new Problem(text, text.formatted(arguments)));
  }

  // --- deliveries

  /** A handler begins with a message. */
  @Nullable Entry begin(String relay, Delivery delivery) {
    Entry entry = find(delivery);
    if (entry == null) {
      problem("%s is not what anybody published for this handler", delivery);
      return null;
    }
    if (entry.successes > 0 && !mayBeginAgain(entry, relay, delivery)) {
      problem("%s begins once more, without a fault", entry);
    }
    Instant now = clock.instant();
    if (entry.times.dueAt != null && now.isBefore(entry.times.dueAt)) {
      problem("%s begins at %s, before its time: %s", entry, now, entry.times.dueAt);
    }
    // What is late in a batch was handed over in time.
    if (entry.hasExpired(now) && !entry.handler.inBatches()) {
      problem("%s begins, but has expired", entry);
    }
    checkRate(relay, entry.handler, now);
    NavigableMap<Integer, Entry> lane = lane(entry);
    lane.headMap(entry.number).values().removeIf(earlier -> earlier.letsPass(now));
    if (entry.times.dueAt == null) {
      lane.headMap(entry.number)
          .values()
          .forEach(earlier -> problem("%s begins before %d", entry, earlier.number));
    }
    return entry;
  }

  /** If the answer to a commit was lost, the handler is called once more, and rolled back. */
  private boolean mayBeginAgain(Entry entry, String relay, Delivery delivery) {
    boolean answersAreLost = plan.has(Dimension.CUTS) && entry.handler.kind() == Kind.TRANSACTIONAL;
    boolean otherOwner = !entry.doneBy.contains(relay + " " + delivery.epoch());
    return entry.touched || answersAreLost || (!faultless && otherOwner);
  }

  /**
   * In a second a handler begins as many as it may, beside those that it may begin at once, and
   * those that its workers had taken before. Probes of a destination are not counted.
   */
  private void checkRate(String relay, HandlerPlan handler, Instant now) {
    if (handler.perSecond() == 0 || plan.has(Dimension.OUTAGES)) {
      return;
    }
    Deque<Instant> recent =
        begun.computeIfAbsent(relay + " " + handler.name(), any -> new ArrayDeque<>());
    while (!recent.isEmpty() && !recent.element().isAfter(now.minusSeconds(1))) {
      recent.remove();
    }
    recent.add(now);
    int atOnce = Math.max(1, handler.perSecond() / 10) * (1 + handler.concurrency());
    if (recent.size() > handler.perSecond() + atOnce) {
      problem("%s of %s begins more than %d in a second", handler, relay, handler.perSecond());
    }
  }

  /** A worker is at work. */
  void workerBegins(String relay, HandlerPlan handler) {
    int now = workers.merge(relay + " " + handler.name(), 1, Integer::sum);
    if (now > handler.concurrency()) {
      problem("%s of %s has %d workers", handler, relay, now);
    }
  }

  void workerEnds(String relay, HandlerPlan handler) {
    workers.merge(relay + " " + handler.name(), -1, Integer::sum);
  }

  private NavigableMap<Integer, Entry> lane(Entry entry) {
    return open.getOrDefault(entry.handler.name() + " " + entry.key, new TreeMap<>());
  }

  /** A lane is occupied. */
  void occupy(Delivery delivery, Running by) {
    if (delivery.key() == null) {
      return;
    }
    Running other = running.put(laneOf(delivery), by);
    if (other != null && !other.equals(by) && other.epoch >= by.epoch) {
      problem("%s overlaps with %s", delivery, other);
    }
  }

  /** The lane is free again. */
  void free(Delivery delivery, Running by) {
    running.remove(laneOf(delivery), by);
  }

  private static String laneOf(Delivery delivery) {
    return delivery.handler() + " " + delivery.key();
  }

  /** The handler has done it; if it is transactional, with the commit. */
  void succeeded(Entry entry, String relay, long epoch) {
    entry.doneBy.add(relay + " " + epoch);
    entry.successes++;
    successes++;
    if (entry.successes > 1 && entry.handler.kind() == Kind.TRANSACTIONAL) {
      problem("%s has its effect %d times", entry, entry.successes);
    }
  }

  /** How many deliveries have succeeded. */
  int successes() {
    return successes;
  }

  /** What a handler is to get, if there is such a message. */
  @Nullable Entry find(Delivery delivery) {
    return entries.get(new Id(delivery.handler(), delivery.messageId()));
  }

  void failed(Entry entry, int attempt) {
    entry.failed = true;
    entry.givenUp |= attempt >= entry.handler.maxAttempts();
  }

  /** Whether it was delivered is not known. */
  void leftInDoubt(Entry entry) {
    entry.touched = true;
  }

  // --- operators

  /** For the story. */
  String name(Id id) {
    return String.valueOf(entries.get(id));
  }

  /** It may be delivered once more, or again although it is under way. */
  void retried(Id id) {
    entries.get(id).touched = true;
  }

  /** It was made a dead letter, or the marker behind it was removed. */
  void skipped(Id id) {
    entries.get(id).touched = true;
    entries.get(id).released = true;
  }

  /** It need not be delivered. */
  void cancelled(Id id) {
    entries.get(id).touched = true;
    entries.get(id).cancelled = true;
  }

  /** Markers of a lane were removed. */
  void unblocked(String handler, String key) {
    open.getOrDefault(handler + " " + key, new TreeMap<>()).values().stream()
        .filter(entry -> entry.givenUp)
        .forEach(entry -> entry.released = true);
  }

  // --- the end

  /** What is wrong so far. */
  List<Problem> problems() {
    return problems;
  }

  /**
   * All relays have come to rest: what is missing, and what is there too often?
   *
   * @param history what was kept as delivered
   */
  void judge(List<Id> history) {
    Map<Id, Integer> kept = new HashMap<>();
    history.forEach(id -> kept.merge(id, 1, Integer::sum));
    entries.forEach((id, entry) -> judge(entry, kept.getOrDefault(id, 0)));
  }

  private void judge(Entry entry, int kept) {
    boolean dropped = entry.cancelled || entry.hasExpired(clock.instant());
    if (entry.successes == 0 && !dropped) {
      problem("%s was never delivered", entry);
    }
    if (entry.successes > 1 && faultless && !entry.touched) {
      problem("%s was delivered %d times, without a fault", entry, entry.successes);
    }
    boolean once = entry.handler.kind() == Kind.TRANSACTIONAL || (faultless && !entry.touched);
    if (plan.has(Dimension.RETENTION) && !dropped && (kept < 1 || (once && kept > 1))) {
      problem("%s is in the history %d times", entry, kept);
    }
  }
}
