/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings deferred rows back into the memory when the first of their lane is due. What is public
 * takes the memory's lock.
 */
public final class DueIntake {
  private static final int MAX_HEADS = 200;
  private static final int MAX_ROWS = 1_000;
  private static final int ROWS_PER_LANE = 64;

  /** Of the room for a read, one lane gets a part at the most, or it would starve others. */
  private static final int LANES_PER_READ = 4;

  private final MemoryLock lock;
  private final Ticker ticker;
  private final PartitionTable partitions;
  private final LaneTable lanes;
  private final Outflow outflow;
  private final Window window;
  private final DueTimes dueTimes;
  private int firstPartition; // turns, so that none is always behind those that fill the window

  /**
   * A read that is about to begin.
   *
   * @param partitions those it is made for, by number: what it brings counts only for them
   * @param event when it begins, as outcomes count
   * @param begun when it begins, by the ticker
   */
  public record Plan(
      DueRequest request, Map<Integer, HeldPartition> partitions, long event, long begun) {}

  /**
   * A row and what is to be done with it.
   *
   * @param instead what becomes of it instead of a delivery; null: it is delivered
   */
  public record Routed(DeferredMessage message, @Nullable Fate instead) {}

  DueIntake(MemoryParts parts) {
    this.lock = parts.lock();
    this.ticker = parts.ticker();
    this.partitions = parts.partitions();
    this.lanes = parts.lanes();
    this.outflow = parts.outflow();
    this.window = parts.window();
    this.dueTimes = parts.dueTimes();
  }

  // --- who has deferred rows

  /** Partitions of which it is not known yet who has deferred rows. */
  public List<HeldPartition> partitionsToLoad() {
    return lock.get(partitions::loading);
  }

  /** Partitions that may be read now, by number. */
  public Map<Integer, HeldPartition> readablePartitions() {
    return partitions.readablePartitions();
  }

  /** A number for a look at the deferred table that is about to begin. */
  public long lookBegins() {
    return lock.get(outflow::nextEvent);
  }

  /** A look at the deferred table has found these handlers in these partitions. */
  public void deferredHandlers(
      Collection<HeldPartition> looked, Map<Integer, Set<String>> handlers, long lookBegan) {
    lock.run(
        () -> {
          for (HeldPartition partition : looked) {
            Set<String> found = handlers.getOrDefault(partition.partition(), Set.of());
            partition.deferredRows().found(found, lookBegan);
            partition.loaded();
          }
        });
  }

  /** Handlers that may have deferred rows, by partition; no partition without any. */
  public Map<Integer, Set<String>> deferredHandlers() {
    return lock.get(
        () -> {
          Map<Integer, Set<String>> handlers = new HashMap<>();
          for (HeldPartition partition : partitions.readable()) {
            Set<String> names = partition.deferredRows().handlers();
            if (!names.isEmpty()) {
              handlers.put(partition.partition(), Set.copyOf(names));
            }
          }
          return handlers;
        });
  }

  /**
   * Partitions of which reads of deferred rows should begin elsewhere.
   *
   * @param all whether reads are slow
   */
  public List<Integer> deferredFloorsToRaise(boolean all) {
    return lock.get(
        () -> {
          long now = ticker.nanos();
          return partitions.numbers(
              held -> held.isHeld() && (all || held.deferredRows().wantsFloorRaised(now)));
        });
  }

  /** That was stored for these partitions. */
  public void deferredFloorsRaised(Collection<Integer> numbers) {
    lock.run(
        () ->
            partitions
                .find(numbers)
                .forEach(held -> held.deferredRows().floorRaised(ticker.nanos())));
  }

  /** So many lanes have deferred rows, by handler. */
  public void blockedLanes(Map<String, Integer> counts) {
    lock.run(
        () -> {
          for (HandlerLanes handler : lanes.handlers()) {
            handler.blockedLanes(counts.getOrDefault(handler.name(), 0));
          }
        });
  }

  /** An operator has blocked lanes; returns how many of them had something in memory. */
  public int blockedByHand(List<LaneId> blocked) {
    return lock.get(
        () -> {
          int found = 0;
          for (LaneId id : blocked) {
            Lane lane = lanes.find(id);
            if (lane != null && lane.holds() && lane.hasQueued()) {
              outflow.close(lane, Long.MIN_VALUE);
              lanes.settleDown(lane);
              found++;
            }
          }
          return found;
        });
  }

  // --- reads

  /** Whether the time of a deferred row has come that was noted; forgets it. */
  public boolean pollDue() {
    return lock.get(() -> dueTimes.pollDue(ticker.nanos()));
  }

  /** Whether nothing more can be read for now. */
  public boolean isFull() {
    return lock.get(window::isFull);
  }

  /** What to read now; empty if there is nothing, or no room. */
  public Optional<Plan> planDue() {
    return lock.get(() -> plan(partitions.readable()));
  }

  private Optional<Plan> plan(List<HeldPartition> readable) {
    if (window.isFull()) {
      return Optional.empty();
    }
    Map<String, Integer> partitionsOf = new HashMap<>();
    for (HeldPartition partition : readable) {
      partition
          .deferredRows()
          .handlers()
          .forEach(handler -> partitionsOf.merge(handler, 1, Integer::sum));
    }
    Map<String, Integer> rooms = new HashMap<>();
    for (String name : partitionsOf.keySet()) {
      HandlerLanes handler = lanes.handler(name);
      boolean wanted = handler == null && name.equals(DeferredMessage.UNDECIDED);
      int room = handler == null ? (wanted ? MAX_HEADS : 0) : lanes.roomOf(handler, ticker.nanos());
      if (handler != null && room == 0) {
        handler.dueRowsWait();
      }
      rooms.put(name, room);
    }
    List<DueRequest.Heads> slices = new ArrayList<>();
    List<DueRequest.Row> known = new ArrayList<>();
    Map<Integer, HeldPartition> planned = new HashMap<>();
    for (int i = 0; i < readable.size(); i++) {
      HeldPartition partition = readable.get((firstPartition + i) % readable.size());
      addSlices(partition, rooms, partitionsOf, slices);
      if (!partition.deferredRows().handlers().isEmpty()) {
        planned.put(partition.partition(), partition);
        addKnown(partition, known);
      }
    }
    if (slices.isEmpty()) {
      return Optional.empty();
    }
    firstPartition = (firstPartition + 1) % readable.size();
    int rows = Math.min(MAX_ROWS, window.freeMessages());
    int rowsPerLane = Math.min(ROWS_PER_LANE, Math.max(1, rows / LANES_PER_READ));
    DueRequest request = new DueRequest(slices, known, rowsPerLane, rows, window.freeBytes());
    return Optional.of(new Plan(request, planned, outflow.dueReadBegins(), ticker.nanos()));
  }

  private static void addSlices(
      HeldPartition partition,
      Map<String, Integer> rooms,
      Map<String, Integer> partitionsOf,
      List<DueRequest.Heads> slices) {
    for (String name : partition.deferredRows().handlers()) {
      int room = Math.min(MAX_HEADS, rooms.getOrDefault(name, 0));
      if (room > 0) {
        int heads = Math.max(1, room / partitionsOf.getOrDefault(name, 1));
        slices.add(new DueRequest.Heads(partition.partition(), name, heads));
      }
    }
  }

  private void addKnown(HeldPartition partition, List<DueRequest.Row> known) {
    partition.deferredRows().readBegins(ticker.nanos());
    for (DeferredRows.Row row : partition.deferredRows().inMemory()) {
      known.add(new DueRequest.Row(partition.partition(), row.seq(), row.handler()));
    }
  }

  /**
   * Takes the rows of a read.
   *
   * @param routed one for each row
   * @return how many of them were new
   */
  public int acceptDue(Plan plan, DueResult result, List<Routed> routed) {
    return lock.get(() -> accept(plan, result, routed));
  }

  private int accept(Plan plan, DueResult result, List<Routed> routed) {
    outflow.dueReadEnds();
    ReadTimes read = new ReadTimes(plan.begun(), ticker.nanos());
    int taken = 0;
    int from = 0;
    while (from < routed.size()) {
      int to = from + 1;
      while (to < routed.size() && sameLane(routed.get(from), routed.get(to))) {
        to++;
      }
      boolean complete =
          to - from < plan.request().rowsPerLane() && !(result.cut() && to == routed.size());
      taken += accept(plan, read, routed.subList(from, to), complete);
      from = to;
    }
    return taken;
  }

  private static boolean sameLane(Routed one, Routed other) {
    StoredMessage first = one.message().message();
    StoredMessage second = other.message().message();
    return one.message().inLane()
        && other.message().inLane()
        && first.partition() == second.partition()
        && one.message().handler().equals(other.message().handler())
        && String.valueOf(first.envelope().key()).equals(second.envelope().key());
  }

  private int accept(Plan plan, ReadTimes read, List<Routed> rows, boolean complete) {
    DeferredMessage first = rows.get(0).message();
    HeldPartition partition = plan.partitions().get(first.message().partition());
    if (partition == null || !partition.isHeld()) {
      return 0;
    }
    HandlerLanes handler = lanes.handler(first.handler());
    if (handler == null) {
      return acceptUndecided(partition, rows.get(0));
    }
    Lane lane = lanes.of(handler, first.message());
    int taken = 0;
    long missed = lane.firstMissedBy(plan.event());
    long behind = rows.get(rows.size() - 1).message().message().seq() + 1;
    long missing = complete ? missed : Math.min(missed, behind);
    for (Routed row : rows) {
      long seq = row.message().message().seq();
      boolean due = row.message().dueIn().isZero() || row.message().dueIn().isNegative();
      boolean next = !row.message().inLane() || (seq < missed && partition.mayDeliverDeferred(seq));
      boolean took = due && next && take(partition, lane, read, row);
      taken += took ? 1 : 0;
      // One that is in memory already may have failed since, so that later ones wait behind it.
      if (!took || stays(row.instead())) {
        missing = Math.min(missing, seq);
        break;
      }
    }
    if (first.inLane() && lane.holds()) {
      lane.surveyed(missing);
    }
    lanes.settleDown(lane);
    return taken;
  }

  /** Whether the row stays in its lane, so that later ones wait behind it. */
  private static boolean stays(@Nullable Fate instead) {
    return instead instanceof Fate.Deferred deferred && !deferred.passed();
  }

  /** Takes a row; false if it is in memory already. */
  private boolean take(HeldPartition partition, Lane lane, ReadTimes read, Routed routed) {
    DeferredMessage row = routed.message();
    if (!partition.deferredRows().enter(row.message().seq(), row.handler())) {
      return false;
    }
    partition.itemAdded();
    lane.rowInMemory();
    Window.Claim claim = window.claim(row.message().envelope());
    LaneEntry entry = new LaneEntry(partition, lane, row, claim, read);
    Fate instead = routed.instead();
    if (instead == null) {
      lanes.enqueue(entry);
    } else {
      outflow.add(new PendingRow(entry, instead));
    }
    return true;
  }

  private int acceptUndecided(HeldPartition partition, Routed routed) {
    DeferredMessage row = routed.message();
    Fate instead = routed.instead();
    if (instead == null || !partition.deferredRows().enter(row.message().seq(), row.handler())) {
      return 0;
    }
    partition.itemAdded();
    Window.Claim claim = window.claim(row.message().envelope());
    outflow.add(new PendingRow(partition, row, claim, instead));
    return 1;
  }

  /** Takes rows of one partition that nobody can deliver, with what becomes of them. */
  public void acceptOrphans(HeldPartition partition, List<Routed> rows) {
    lock.run(
        () -> {
          if (partition.isHeld()) {
            rows.forEach(row -> acceptUndecided(partition, row));
          }
        });
  }
}
