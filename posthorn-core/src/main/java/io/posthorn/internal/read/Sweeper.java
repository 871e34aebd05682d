/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.internal.memory.PartitionTable;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Looks for rows below the floors. Where the database tells of other transactions there can be none
 * but those that were put there manually, so one partition is looked at each time, and all of them
 * a while after they have come to this relay; elsewhere all of them are. A look walks over all rows
 * that are dead and not vacuumed, so it goes in ranges of seq that are as wide as a short time
 * allows, with rests in between where it is not urgent. What it finds is read from there. Reader's
 * thread only.
 */
final class Sweeper {
  private static final long NOT_BEGUN = -1;
  private static final long FIRST_WIDTH = 100_000;
  private static final long MIN_WIDTH = 1_000;
  private static final long MAX_WIDTH = 1L << 50;
  private static final Duration FAST = Duration.ofMillis(10);
  private static final Duration SLOW = Duration.ofMillis(50);
  private static final int REST = 9; // times as long as a look took

  private final RelayStore store;
  private final PartitionTable memory;
  private final Ticker ticker;
  private final long intervalNanos;
  private final Map<Integer, Long> unfinished = new HashMap<>(); // up to where it has looked
  private long width = FIRST_WIDTH;
  private long sweptAt;
  private long restUntil;
  private boolean wholeNext; // the next sweep looks at all partitions
  private volatile boolean wanted;
  private int last = -1; // the partition that was looked at last, where it is one after the other

  Sweeper(RelayStore store, PartitionTable memory, Ticker ticker, Duration interval) {
    this.store = store;
    this.memory = memory;
    this.ticker = ticker;
    this.intervalNanos = interval.toNanos();
    this.sweptAt = ticker.nanos();
    this.restUntil = sweptAt;
  }

  /** Partitions have come: rows may have been put into them while nobody looked. */
  void partitionsCame() {
    wholeNext = true;
    sweptAt = ticker.nanos();
  }

  /** Asks for a look at all partitions. Any thread. */
  void request() {
    wanted = true;
  }

  private void begin(Iterable<Integer> partitions) {
    sweptAt = ticker.nanos();
    // A look that takes longer than the interval goes on where it is, or it would never end.
    partitions.forEach(partition -> unfinished.putIfAbsent(partition, NOT_BEGUN));
  }

  private void beginIfDue() {
    boolean due = ticker.nanos() - sweptAt >= intervalNanos;
    if ((due && wholeNext) || ((due || wanted) && memory.floorsUnsure())) {
      wholeNext = false;
      wanted = false;
      begin(memory.readablePartitions().keySet());
      return;
    }
    wanted = false;
    if (!due) {
      return;
    }
    TreeSet<Integer> partitions = new TreeSet<>(memory.readablePartitions().keySet());
    if (!partitions.isEmpty()) {
      Integer next = partitions.higher(last);
      last = next == null ? partitions.first() : next;
      begin(List.of(last));
    }
  }

  /** Whether a look is not at its end. */
  boolean isUnfinished() {
    return wanted || nanosUntilNext() == 0;
  }

  /** How long until the next look; very long if none is under way. */
  long nanosUntilNext() {
    return unfinished.isEmpty() ? Long.MAX_VALUE : Math.max(0, restUntil - ticker.nanos());
  }

  /**
   * Looks at the next ranges, if there are any.
   *
   * @return in how many partitions something was found
   */
  int runOnce() {
    beginIfDue();
    if (nanosUntilNext() > 0) {
      return 0;
    }
    List<SeqRange> ranges = new ArrayList<>();
    int most = memory.floorsUnsure() ? Integer.MAX_VALUE : 1;
    for (Map.Entry<Integer, Long> place : List.copyOf(unfinished.entrySet())) {
      SeqRange range = memory.rangeBelowFloor(place.getKey(), place.getValue(), width).orElse(null);
      if (range == null) {
        unfinished.remove(place.getKey());
      } else if (ranges.size() < most) {
        ranges.add(range);
      }
    }
    return ranges.isEmpty() ? 0 : look(ranges);
  }

  private int look(List<SeqRange> ranges) {
    long begun = ticker.nanos();
    boolean done = false;
    try {
      Map<Integer, Long> found = store.findReady(ranges, memory.knownIn(ranges));
      done = true;
      memory.foundBelowFloor(found);
      for (SeqRange range : ranges) {
        boolean ends =
            found.containsKey(range.partition()) // the rest is read
                || memory.rangeBelowFloor(range.partition(), range.last(), width).isEmpty();
        if (ends) {
          unfinished.remove(range.partition());
        } else {
          unfinished.put(range.partition(), range.last());
        }
      }
      return found.size();
    } finally {
      long now = ticker.nanos();
      Duration took = Duration.ofNanos(now - begun);
      restUntil = memory.floorsUnsure() ? now : now + REST * took.toNanos();
      if (!done || took.compareTo(SLOW) > 0) {
        width = Math.max(MIN_WIDTH, width / 2);
      } else if (took.compareTo(FAST) < 0) {
        width = Math.min(MAX_WIDTH, width * 2);
      }
    }
  }
}
