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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What was published and what has become of it, and what of that breaks a promise. */
final class Truth {
  private final SchedulePlan plan;
  private final Map<Id, Entry> entries = new HashMap<>();
  private final Map<String, NavigableMap<Integer, Entry>> open = new HashMap<>(); // by lane
  private final Map<String, Running> running = new HashMap<>(); // by lane
  private final List<String> problems = new ArrayList<>();
  private final boolean faultless;
  private int published;
  private int successes;

  /** Names what one handler is to get of one message. */
  record Id(String handler, UUID message) {}

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
    private int successes; // of a transactional handler: those that were committed
    private boolean failed;
    private boolean givenUp;
    private boolean released;
    private boolean cancelled;
    private boolean touched;

    Entry(HandlerPlan handler, @Nullable String key, int number) {
      this.handler = handler;
      this.key = key;
      this.number = number;
    }

    /** Whether later ones of its lane may begin. Once they may, they always may. */
    private boolean letsPass() {
      return successes > 0
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

  Truth(SchedulePlan plan) {
    this.plan = plan;
    this.faultless = !plan.has(Dimension.DEATHS);
  }

  /** Messages are committed in the order of their numbers. */
  void published(UUID message, String type, @Nullable String key) {
    int number = published++;
    for (HandlerPlan handler : plan.handlersOf(type)) {
      Entry entry = new Entry(handler, key, number);
      entries.put(new Id(handler.name(), message), entry);
      if (key != null) {
        open.computeIfAbsent(handler.name() + " " + key, any -> new TreeMap<>()).put(number, entry);
      }
    }
  }

  void problem(String text, Object... arguments) {
    problems.add(text.formatted(arguments));
  }

  // --- deliveries

  /** A handler begins with a message. */
  @Nullable Entry begin(Delivery delivery) {
    Entry entry = entries.get(new Id(delivery.handler(), delivery.messageId()));
    if (entry == null) {
      problem("%s is not what anybody published for this handler", delivery);
      return null;
    }
    if (entry.successes > 0 && !mayBeginAgain(entry)) {
      problem("%s begins once more, without a fault", entry);
    }
    NavigableMap<Integer, Entry> lane = lane(entry);
    lane.headMap(entry.number).values().removeIf(Entry::letsPass);
    lane.headMap(entry.number)
        .values()
        .forEach(earlier -> problem("%s begins before %d", entry, earlier.number));
    return entry;
  }

  /** If the answer to a commit was lost, the handler is called once more, and rolled back. */
  private boolean mayBeginAgain(Entry entry) {
    boolean answersAreLost = plan.has(Dimension.CUTS) && entry.handler.kind() == Kind.TRANSACTIONAL;
    return !faultless || entry.touched || answersAreLost;
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
  void succeeded(Entry entry) {
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

  void failed(Entry entry, int attempt) {
    entry.failed = true;
    entry.givenUp |= attempt >= entry.handler.maxAttempts();
  }

  // --- operators

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
  List<String> problems() {
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
    if (entry.successes == 0 && !entry.cancelled) {
      problem("%s was never delivered", entry);
    }
    if (entry.successes > 1 && faultless && !entry.touched) {
      problem("%s was delivered %d times, without a fault", entry, entry.successes);
    }
    boolean once = entry.handler.kind() == Kind.TRANSACTIONAL || (faultless && !entry.touched);
    if (plan.has(Dimension.RETENTION) && !entry.cancelled && (kept < 1 || (once && kept > 1))) {
      problem("%s is in the history %d times", entry, kept);
    }
  }
}
