/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.settle;

import io.posthorn.internal.memory.PendingSettlement;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Outcomes that the database did not store, for reasons that may pass or concern single ones: a
 * trigger, missing rights, a lock that is not given. Groups are tried again in halves until the
 * culprits are alone; those are tried about once a second. Failures in between are few and take a
 * fifth of the time at most, however slow they are, so that the other outcomes go on. Once
 * something works, more and more is tried at once. Settle thread only.
 *
 * <p>While a message is set aside that was split, the outcomes of its rows wait: stored before it,
 * they would find no rows, and those would be written afterwards and delivered again.
 */
final class SetAside {
  private static final Duration ALONE = Duration.ofSeconds(1);
  private static final Duration MIN_PAUSE = Duration.ofMillis(50);
  private static final int PAUSE_FACTOR = 4;
  private static final int MAX_WIDTH = 1 << 20;

  private final Ticker ticker;
  private final Deque<Group> groups = new ArrayDeque<>();
  private long notBefore;
  private int width = 1;

  private final Map<SplitMessage, List<PendingSettlement>> behind = new HashMap<>();

  private record Group(List<PendingSettlement> outcomes, long dueAt) {}

  private record SplitMessage(RelayIdentity owner, int partition, long seq) {
    static SplitMessage of(PendingSettlement outcome) {
      StoredMessage message = outcome.message();
      return new SplitMessage(outcome.owner(), message.partition(), message.seq());
    }
  }

  SetAside(Ticker ticker) {
    this.ticker = ticker;
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /**
   * Takes outcomes that could not be stored.
   *
   * @param took how long it took to find that out
   */
  void add(List<PendingSettlement> unstored, Duration took) {
    unstored.stream()
        .filter(PendingSettlement::isSplit)
        .forEach(split -> behind.computeIfAbsent(SplitMessage.of(split), any -> new ArrayList<>()));
    List<PendingSettlement> outcomes = holdBack(unstored);
    long now = ticker.nanos();
    width = 1;
    notBefore = now + Math.max(MIN_PAUSE.toNanos(), PAUSE_FACTOR * took.toNanos());
    if (outcomes.size() == 1) {
      groups.addLast(new Group(outcomes, now + ALONE.toNanos()));
      return;
    }
    int half = outcomes.size() / 2;
    groups.addFirst(new Group(outcomes.subList(half, outcomes.size()), now));
    groups.addFirst(new Group(outcomes.subList(0, half), now));
  }

  /** Keeps those that have to wait for a message that is set aside; returns the others. */
  List<PendingSettlement> holdBack(List<PendingSettlement> outcomes) {
    if (behind.isEmpty()) {
      return outcomes;
    }
    List<PendingSettlement> others = new ArrayList<>(outcomes.size());
    for (PendingSettlement outcome : outcomes) {
      List<PendingSettlement> waiting =
          outcome.isSplit() ? null : behind.get(SplitMessage.of(outcome));
      (waiting == null ? others : waiting).add(outcome);
    }
    return others;
  }

  /** These were stored, or never will be: what has waited for them goes on. */
  void ended(List<PendingSettlement> outcomes) {
    if (behind.isEmpty()) {
      return;
    }
    for (PendingSettlement outcome : outcomes) {
      List<PendingSettlement> released =
          outcome.isSplit() ? behind.remove(SplitMessage.of(outcome)) : null;
      if (released != null && !released.isEmpty()) {
        groups.addFirst(new Group(released, ticker.nanos()));
      }
    }
  }

  /** What to try now, of one life of the relay; empty if it is not yet time. */
  List<PendingSettlement> take(int max) {
    List<PendingSettlement> taken = new ArrayList<>();
    while (!groups.isEmpty() && nanosUntilNext() <= 0 && fits(taken, Math.min(width, max))) {
      taken.addAll(groups.remove().outcomes);
    }
    return taken;
  }

  private boolean fits(List<PendingSettlement> taken, int limit) {
    List<PendingSettlement> next = groups.element().outcomes;
    return taken.isEmpty()
        || (taken.size() + next.size() <= limit
            && taken.get(0).owner().equals(next.get(0).owner()));
  }

  /** What was taken has been stored. */
  void worked(int stored) {
    width = Math.min(Math.max(width, stored) * 2, MAX_WIDTH);
  }

  private long nanosUntilNext() {
    long now = ticker.nanos();
    return Math.max(notBefore - now, groups.element().dueAt - now);
  }

  /** How long until there is something to try, at the most this long. */
  Duration nextIn(Duration max) {
    return groups.isEmpty()
        ? max
        : Duration.ofNanos(Math.max(0, Math.min(max.toNanos(), nanosUntilNext())));
  }
}
