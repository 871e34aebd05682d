/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;

import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares what was committed with what was received, and finds every promise that was broken. */
public final class Checker {
  private static final int STORIES_OF_A_KIND = 5;

  /** An outcome is stored within this time after its delivery, or something is in its way. */
  private static final long SETTLE_SLACK = 5_000;

  /** Clocks of two processes are read at different moments. */
  private static final long CLOCK_SLACK = 20;

  private final Bounds bounds;
  private final History history;
  private final List<Fault> faults;
  private final Map<UUID, Truth.Committed> committed;
  private final Map<Pair, List<Receipt>> byPair;
  private final Map<Violation.Kind, Long> counts = new EnumMap<>(Violation.Kind.class);
  private final List<Violation> violations = new ArrayList<>();

  private record Pair(String handler, UUID id) {}

  private record Lane(String handler, String key) {}

  /**
   * What a relay may have had in hand.
   *
   * @param handlers all of them; each has to get each message
   * @param window messages that may be delivered and not yet stored
   * @param attempts after so many a message is dead
   * @param waits the longest wait in milliseconds that each kind of fault may cause
   */
  public record Bounds(
      Set<String> handlers, int workers, int window, int attempts, Map<Fault.Kind, Long> waits) {}

  public Checker(Bounds bounds, History history, List<Fault> faults) {
    this.bounds = bounds;
    this.history = history;
    this.faults = List.copyOf(faults);
    this.committed = history.truth().committed();
    this.byPair =
        history.receipts().stream()
            .collect(groupingBy(receipt -> new Pair(receipt.handler(), receipt.id())));
  }

  public Verdict judge() {
    history.truth().contradictions().forEach(what -> find(Violation.Kind.BROKEN_HARNESS, what));
    phantoms();
    committed.values().forEach(this::lostOrDead);
    order();
    staleEpochs();
    long duplicated = duplicates();
    history
        .rows()
        .leftovers()
        .forEach((table, rows) -> find(Violation.Kind.LEFTOVER, rows + " rows in " + table));
    history.rows().intrusions().forEach(what -> find(Violation.Kind.INTRUSION, what));
    Map<Fault.Kind, Long> stalls = stalls();
    bounds.waits().forEach((kind, most) -> late(kind, stalls.getOrDefault(kind, 0L), most));
    Map<Fault.Kind, Integer> injected = new EnumMap<>(Fault.Kind.class);
    faults.forEach(fault -> injected.merge(fault.kind(), 1, Integer::sum));
    return new Verdict(
        committed.size(),
        history.truth().unknown(),
        history.rows().dead().values().stream().mapToLong(Set::size).sum(),
        duplicated,
        counts,
        violations,
        stalls,
        injected);
  }

  private void phantoms() {
    Stream.concat(
            history.receipts().stream().map(Receipt::id),
            history.rows().dead().values().stream().flatMap(Set::stream))
        .filter(id -> !committed.containsKey(id))
        .distinct()
        .forEach(id -> find(Violation.Kind.PHANTOM, "never committed", id));
  }

  private void lostOrDead(Truth.Committed message) {
    Sent sent = message.sent();
    for (String handler : bounds.handlers()) {
      boolean dead = history.rows().dead().getOrDefault(handler, Set.of()).contains(sent.id());
      boolean done = receipts(handler, sent.id()).anyMatch(Checker::isDone);
      if (dead && !sent.nature().mustDie()) {
        find(Violation.Kind.WRONG_DEAD_LETTER, "dead for \"" + handler + "\"", sent.id());
      } else if (!dead && (!done || sent.nature().mustDie())) {
        find(Violation.Kind.LOST, "for \"" + handler + "\"", sent.id());
      }
    }
  }

  private Stream<Receipt> receipts(String handler, UUID id) {
    return byPair.getOrDefault(new Pair(handler, id), List.of()).stream();
  }

  private static boolean isDone(Receipt receipt) {
    return receipt.kind() == Receipt.Kind.DONE;
  }

  // --- order

  private void order() {
    Map<String, List<Sent>> byKey = new HashMap<>();
    for (Truth.Committed message : committed.values()) {
      String key = message.sent().key();
      if (key != null) {
        byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(message.sent());
      }
    }
    byKey.values().forEach(sent -> sent.sort(Comparator.comparingLong(Sent::number)));
    Map<Lane, LaneWalk> lanes = new HashMap<>();
    // The sort is stable: those of one epoch are of one life, and stay as they were written.
    history.receipts().stream()
        .sorted(Comparator.comparingLong(Receipt::epoch))
        .forEach(
            receipt -> {
              Lane lane = laneOf(receipt);
              if (lane != null) {
                lanes
                    .computeIfAbsent(
                        lane,
                        any ->
                            new LaneWalk(
                                byKey.getOrDefault(lane.key(), List.of()),
                                bounds.attempts(),
                                this::findInLane))
                    .take(receipt);
              }
            });
  }

  private @Nullable Lane laneOf(Receipt receipt) {
    Truth.Committed message = committed.get(receipt.id());
    String key = message == null ? null : message.sent().key();
    return key == null ? null : new Lane(receipt.handler(), key);
  }

  private void findInLane(Violation.Kind kind, Receipt receipt) {
    find(kind, "at " + receipt, receipt.id());
  }

  // --- ownership

  /** Deliveries that began although the partition had another owner already. */
  private void staleEpochs() {
    Map<Integer, TreeMap<Long, Long>> firstStarts = new HashMap<>();
    List<Receipt> starts =
        history.receipts().stream()
            .filter(receipt -> receipt.kind() == Receipt.Kind.STARTED)
            .toList();
    for (Receipt start : starts) {
      firstStarts
          .computeIfAbsent(start.partition(), any -> new TreeMap<>())
          .merge(start.epoch(), start.millis(), Math::min);
    }
    Map<String, List<Receipt>> stale = new HashMap<>();
    for (Receipt start : starts) {
      boolean late =
          requireNonNull(firstStarts.get(start.partition()))
              .tailMap(start.epoch(), false)
              .values()
              .stream()
              .anyMatch(begun -> begun + CLOCK_SLACK < start.millis());
      if (late) {
        stale.computeIfAbsent(start.life(), any -> new ArrayList<>()).add(start);
      }
    }
    stale.forEach(this::staleOf);
  }

  /** Workers that had passed the check before the freeze go on when it ends: one delivery each. */
  private void staleOf(String life, List<Receipt> starts) {
    long excuses =
        faults.stream()
            .filter(fault -> fault.kind() == Fault.Kind.FREEZE)
            .filter(fault -> life.equals(fault.life()))
            .count();
    if (starts.size() > excuses * bounds.workers()) {
      Receipt first = starts.get(0);
      find(
          Violation.Kind.STALE_EPOCH,
          "%d deliveries of %s began after others had taken over, the first at %s"
              .formatted(starts.size(), life, first),
          first.id());
    }
  }

  // --- duplicates

  private long duplicates() {
    long duplicated = 0;
    Map<Fault, Set<UUID>> byFault = new HashMap<>();
    for (Map.Entry<Pair, List<Receipt>> entry : byPair.entrySet()) {
      List<Receipt> done =
          entry.getValue().stream()
              .filter(Checker::isDone)
              .sorted(Comparator.comparingLong(Receipt::epoch))
              .toList();
      for (int i = 1; i < done.size(); i++) {
        duplicated++;
        Fault reason = reason(done.get(i - 1), done.get(i));
        if (reason == null) {
          find(
              Violation.Kind.UNEXPLAINED_DUPLICATE,
              "done again for \"" + entry.getKey().handler() + "\"",
              entry.getKey().id());
        } else {
          byFault.computeIfAbsent(reason, any -> new HashSet<>()).add(entry.getKey().id());
        }
      }
    }
    byFault.forEach(
        (fault, messages) -> {
          if (fault.kind() == Fault.Kind.KILL && messages.size() > bounds.window()) {
            find(
                Violation.Kind.TOO_MANY_DUPLICATES,
                messages.size() + " messages because of " + fault);
          }
        });
    return duplicated;
  }

  private @Nullable Fault reason(Receipt first, Receipt second) {
    return faults.stream()
        .filter(
            fault -> fault.explains(first.life(), first.millis(), second.millis(), SETTLE_SLACK))
        .findFirst()
        .orElse(null);
  }

  // --- stalls

  private Map<Fault.Kind, Long> stalls() {
    Waits waits = new Waits(committed, history.receipts());
    Map<Fault.Kind, Long> stalls = new EnumMap<>(Fault.Kind.class);
    for (Fault fault : faults) {
      stalls.merge(fault.kind(), waits.longest(fault), Math::max);
    }
    return stalls;
  }

  private void late(Fault.Kind kind, long longest, long most) {
    if (longest > most) {
      find(
          Violation.Kind.TOO_LATE,
          "%d ms without progress because of a %s; %d ms at most are promised"
              .formatted(longest, kind.label(), most));
    }
  }

  // --- findings

  private void find(Violation.Kind kind, String what) {
    find(kind, what, List.of());
  }

  private void find(Violation.Kind kind, String what, UUID id) {
    boolean told = counts.getOrDefault(kind, 0L) >= STORIES_OF_A_KIND;
    find(kind, what + ", message " + id, told ? List.of() : story(id));
  }

  private void find(Violation.Kind kind, String what, List<String> story) {
    long count = counts.merge(kind, 1L, Long::sum);
    if (count <= STORIES_OF_A_KIND) {
      violations.add(new Violation(kind, what, story));
    }
  }

  private List<String> story(UUID id) {
    List<String> story = new ArrayList<>();
    Truth.Committed message = committed.get(id);
    story.add(
        message == null
            ? "no commit known"
            : "%d commit asked for: %s".formatted(message.askedAt(), message.sent()));
    history.receipts().stream()
        .filter(receipt -> receipt.id().equals(id))
        .sorted(Comparator.comparingLong(Receipt::millis))
        .map(Receipt::toString)
        .forEach(story::add);
    history
        .rows()
        .dead()
        .forEach(
            (handler, ids) -> {
              if (ids.contains(id)) {
                story.add("a dead letter of \"" + handler + "\"");
              }
            });
    faults.stream()
        .filter(fault -> concerns(fault, message, id))
        .map(fault -> "fault: " + fault)
        .forEach(story::add);
    return story;
  }

  private boolean concerns(Fault fault, Truth.@Nullable Committed message, UUID id) {
    long last =
        history.receipts().stream()
            .filter(receipt -> receipt.id().equals(id))
            .mapToLong(Receipt::millis)
            .max()
            .orElse(Long.MAX_VALUE);
    return message != null
        && fault.from() <= last
        && fault.to() + SETTLE_SLACK >= message.askedAt();
  }
}
