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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Brings deferred rows back into the memory when the first of their lane is due. Guarded by the
 * memory's lock.
 */
final class DueIntake {
  private static final int MAX_HEADS = 200;
  private static final int MAX_ROWS = 1_000;
  private static final int ROWS_PER_LANE = 64;

  private final Ticker ticker;
  private final LaneTable lanes;
  private final Outflow outflow;
  private final Window window;

  DueIntake(Ticker ticker, LaneTable lanes, Outflow outflow, Window window) {
    this.ticker = ticker;
    this.lanes = lanes;
    this.outflow = outflow;
    this.window = window;
  }

  /**
   * What to read now; empty if there is nothing, or no room.
   *
   * @param roomOf how many more messages of a handler may be read
   * @param undecided whether rows that are not meant for one handler are wanted
   */
  Optional<DuePlan> plan(
      List<HeldPartition> readable, ToIntFunction<HandlerLanes> roomOf, boolean undecided) {
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
      boolean wanted = handler == null && undecided && name.equals(DeferredMessage.UNDECIDED);
      int room = handler == null ? (wanted ? MAX_HEADS : 0) : roomOf.applyAsInt(handler);
      if (handler != null && room == 0) {
        handler.dueRowsWait();
      }
      rooms.put(name, room);
    }
    List<DueRequest.Heads> slices = new ArrayList<>();
    List<DueRequest.Row> known = new ArrayList<>();
    Map<Integer, HeldPartition> planned = new HashMap<>();
    for (HeldPartition partition : readable) {
      addSlices(partition, rooms, partitionsOf, slices);
      if (!partition.deferredRows().handlers().isEmpty()) {
        planned.put(partition.partition(), partition);
        addKnown(partition, known);
      }
    }
    if (slices.isEmpty()) {
      return Optional.empty();
    }
    int rows = Math.min(MAX_ROWS, window.freeMessages());
    DueRequest request =
        new DueRequest(slices, known, Math.min(ROWS_PER_LANE, rows), rows, window.freeBytes());
    return Optional.of(new DuePlan(request, planned, outflow.dueReadBegins()));
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
   * Takes deferred rows.
   *
   * @param routed one for each row
   * @return how many of them were new
   */
  int accept(DuePlan plan, DueResult result, List<RoutedDeferred> routed) {
    outflow.dueReadEnds();
    int taken = 0;
    int from = 0;
    while (from < routed.size()) {
      int to = from + 1;
      while (to < routed.size() && sameLane(routed.get(from), routed.get(to))) {
        to++;
      }
      boolean complete =
          to - from < plan.request().rowsPerLane() && !(result.cut() && to == routed.size());
      taken += accept(plan, routed.subList(from, to), complete);
      from = to;
    }
    return taken;
  }

  private static boolean sameLane(RoutedDeferred one, RoutedDeferred other) {
    StoredMessage first = one.message().message();
    StoredMessage second = other.message().message();
    return one.message().inLane()
        && other.message().inLane()
        && first.partition() == second.partition()
        && one.message().handler().equals(other.message().handler())
        && String.valueOf(first.envelope().key()).equals(second.envelope().key());
  }

  private int accept(DuePlan plan, List<RoutedDeferred> rows, boolean complete) {
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
    for (RoutedDeferred row : rows) {
      long seq = row.message().message().seq();
      boolean due = row.message().dueIn().isZero() || row.message().dueIn().isNegative();
      boolean next = !row.message().inLane() || (seq < missed && partition.mayDeliverDeferred(seq));
      taken += due && next ? take(partition, lane, row) : 0;
      if (!due || !next || stays(row.instead())) {
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

  private int take(HeldPartition partition, Lane lane, RoutedDeferred routed) {
    DeferredMessage row = routed.message();
    if (!partition.deferredRows().enter(row.message().seq(), row.handler())) {
      return 0;
    }
    partition.itemAdded();
    lane.rowInMemory();
    Window.Claim claim = window.claim(row.message().envelope());
    LaneEntry entry = new LaneEntry(partition, lane, row, claim, ticker.nanos());
    Fate instead = routed.instead();
    if (instead == null) {
      lanes.enqueue(entry);
    } else {
      outflow.add(new PendingSettlement.OfDeferred(entry, instead));
    }
    return 1;
  }

  private int acceptUndecided(HeldPartition partition, RoutedDeferred routed) {
    DeferredMessage row = routed.message();
    Fate instead = routed.instead();
    if (instead == null || !partition.deferredRows().enter(row.message().seq(), row.handler())) {
      return 0;
    }
    partition.itemAdded();
    Window.Claim claim = window.claim(row.message().envelope());
    outflow.add(
        new PendingSettlement.OfDeferred(
            partition, row.message(), row.handler(), null, claim, instead));
    return 1;
  }

  /**
   * Takes rows of one partition that nobody can deliver, with what becomes of them.
   *
   * @return how many of them were new
   */
  int acceptOrphans(HeldPartition partition, List<RoutedDeferred> rows) {
    int taken = 0;
    for (RoutedDeferred row : rows) {
      taken += partition.isHeld() ? acceptUndecided(partition, row) : 0;
    }
    return taken;
  }

  /**
   * A person has blocked lanes: what they have in memory goes back to the table.
   *
   * @return how many of them had something in memory
   */
  int blockedByHand(List<LaneId> blocked) {
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
  }
}
