/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Fate;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Lanes;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * Brings ready rows into the memory: says what to read, and takes what was read. What is public
 * takes the memory's lock.
 */
public final class ReadyIntake {
  /** How many rows a partition is asked for that had none or few at the last read. */
  private static final int PROBE = 8;

  private final MemoryLock lock;
  private final Ticker ticker;
  private final RelayMemory.Signals signals;
  private final PartitionTable partitions;
  private final LaneTable lanes;
  private final Outflow outflow;
  private final Window window;
  private final Spillover spillover;
  private int firstSlice; // which partition is given rows and bytes first, so that none is starved

  /**
   * A read that is about to begin. It remembers the partitions it is made for: what it brings
   * counts only for them.
   *
   * @param partitions those of the request's slices, in the same order
   * @param begun when it begins
   */
  public record Plan(ReadRequest request, List<HeldPartition> partitions, long begun) {}

  /**
   * A row and who is to get it.
   *
   * @param message with the type as it is delivered
   * @param takers the handlers of this relay that take it, by their place among all of them
   * @param others what becomes of it for everybody else
   */
  @SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
  public record Routed(StoredMessage message, int[] takers, List<Settlement.Leftover> others) {}

  /** Why nothing that is known of the database may hold any more. */
  public enum Doubt {
    NONE,
    /** Seqs are drawn a second time. */
    SEQUENCE_WENT_BACK,
    /** Another server has taken over, or a backup was restored. */
    OTHER_HISTORY
  }

  /**
   * What became of the rows of a read.
   *
   * @param added how many of them were new
   */
  public record Accepted(int added, Doubt doubt) {}

  ReadyIntake(MemoryParts parts, Duration lateAfter) {
    this.lock = parts.lock();
    this.ticker = parts.ticker();
    this.signals = parts.signals();
    this.partitions = parts.partitions();
    this.lanes = parts.lanes();
    this.outflow = parts.outflow();
    this.window = parts.window();
    this.spillover = new Spillover(lanes, outflow, window, lateAfter.toNanos());
  }

  /** Makes room, if that is due; returns how many messages are on their way out. */
  public int makeRoom() {
    return lock.get(() -> spillover.runOnce(ticker.nanos()));
  }

  /** Whether nothing more can be read for now. */
  public boolean isFull() {
    return lock.get(window::isFull);
  }

  /** Whether reading is worth while again after the window was full. */
  public boolean isRoomy() {
    return lock.get(window::isRoomy);
  }

  /** Whether some partition has rows that were not read. */
  public boolean moreWaiting() {
    return lock.get(partitions::hasMore);
  }

  /**
   * What to read now; empty if nothing may be read.
   *
   * @param wanted which partitions; those that have more than was read are read anyway
   */
  public Optional<Plan> plan(IntPredicate wanted) {
    return lock.get(() -> plan(partitions.readable(), wanted));
  }

  private Optional<Plan> plan(List<HeldPartition> readable, IntPredicate wanted) {
    if (window.isFull() || readable.isEmpty()) {
      return Optional.empty();
    }
    List<HeldPartition> open = new ArrayList<>(readable.size());
    int hungry = 0;
    int start = firstSlice % readable.size();
    for (int i = 0; i < readable.size(); i++) {
      HeldPartition partition = readable.get((start + i) % readable.size());
      if (partition.hasMore() || wanted.test(partition.partition())) {
        open.add(partition);
        hungry += partition.hasMore() ? 1 : 0;
      }
    }
    return open.isEmpty() ? Optional.empty() : Optional.of(plan(open, hungry));
  }

  private Plan plan(List<HeldPartition> open, int hungry) {
    int free = window.freeMessages();
    int others = open.size() - hungry;
    // Those that had more than was asked for at the last read get most of the room.
    int probe =
        others == 0 ? 0 : Math.max(1, Math.min(PROBE, free / (hungry == 0 ? 1 : 2) / others));
    int share = hungry == 0 ? 0 : Math.max(1, (free - probe * others) / hungry);
    List<Slice> slices = new ArrayList<>(open.size());
    Set<String> laneHandlers = new TreeSet<>();
    Set<Integer> lanePartitions = new HashSet<>();
    LongList known = new LongList();
    for (HeldPartition partition : open) {
      lanes.forget(partition.readBegins());
      partition.addKnown(known);
      if (addLaneHandlers(partition, laneHandlers)) {
        lanePartitions.add(partition.partition());
      }
      slices.add(
          new Slice(partition.partition(), partition.floor(), partition.hasMore() ? share : probe));
    }
    long now = ticker.nanos();
    ReadRequest request =
        new ReadRequest(
            slices,
            known.toArray(),
            new Lanes(List.copyOf(laneHandlers), lanePartitions),
            free,
            window.freeBytes(),
            partitions.horizon().ask(now));
    return new Plan(request, open, now);
  }

  /** Adds the handlers of this relay that may have deferred rows there; whether there are any. */
  private boolean addLaneHandlers(HeldPartition partition, Collection<String> names) {
    boolean any = false;
    for (String name : partition.deferredRows().handlers()) {
      if (lanes.handler(name) != null) {
        names.add(name);
        any = true;
      }
    }
    return any;
  }

  /**
   * Takes the rows of a read.
   *
   * @param routed one for each row
   * @return what became of them; in case of doubt nothing, and the caller starts over
   */
  public Accepted accept(Plan plan, ReadResult result, List<Routed> routed) {
    return lock.get(
        () -> {
          Accepted accepted = take(plan, result, routed);
          firstSlice = firstSlice == Integer.MAX_VALUE ? 0 : firstSlice + 1; // cut or not
          for (HeldPartition partition : plan.partitions()) {
            if (partition.pollDeferredAhead()) {
              signals.deferredRowsChanged();
            }
          }
          return accepted;
        });
  }

  private Accepted take(Plan plan, ReadResult result, List<Routed> routed) {
    Horizon horizon = partitions.horizon();
    long floor = 0;
    for (Slice slice : plan.request().slices()) {
      floor = Math.max(floor, slice.afterSeq());
    }
    if (horizon.hasGoneBack(result, floor)) {
      return new Accepted(0, Doubt.SEQUENCE_WENT_BACK);
    }
    if (horizon.isOfAnotherHistory(result)) {
      return new Accepted(0, Doubt.OTHER_HISTORY);
    }
    long now = ticker.nanos();
    long passed = horizon.read(result, plan.request().ask(), plan.begun(), now);
    int[] places = places(plan.partitions());
    int[] rows = new int[plan.partitions().size()];
    long[] last = new long[plan.partitions().size()];
    int[] handlerPlaces = handlerPlaces(plan.request().lanes().handlers());
    ReadTimes read = new ReadTimes(plan.begun(), now);
    int added = 0;
    for (int i = 0; i < routed.size(); i++) {
      StoredMessage message = routed.get(i).message();
      int place = places[message.partition()];
      HeldPartition partition = plan.partitions().get(place);
      rows[place]++;
      last[place] = Math.max(last[place], message.seq());
      if (partition.isHeld() && partition.enter(message.seq())) {
        long[] heads = result.laneHeads().isEmpty() ? null : result.laneHeads().get(i);
        accept(
            partition,
            routed.get(i),
            heads == null ? Heads.NONE : new Heads(handlerPlaces, heads),
            read);
        added++;
      }
    }
    noteProgress(plan, result.cut(), rows, last, passed);
    return new Accepted(added, Doubt.NONE);
  }

  /** The place of each partition, by its number. */
  private static int[] places(List<HeldPartition> partitions) {
    int highest = 0;
    for (HeldPartition partition : partitions) {
      highest = Math.max(highest, partition.partition());
    }
    int[] places = new int[highest + 1];
    for (int i = 0; i < partitions.size(); i++) {
      places[partitions.get(i).partition()] = i;
    }
    return places;
  }

  private static void noteProgress(Plan plan, boolean cut, int[] rows, long[] last, long passed) {
    int lastRead = rows.length - 1;
    while (cut && lastRead > 0 && rows[lastRead] == 0) {
      lastRead--;
    }
    for (int i = 0; i < rows.length; i++) {
      if (!plan.partitions().get(i).isHeld()) {
        continue; // its rows were not taken
      }
      boolean part = rows[i] >= plan.request().slices().get(i).limit();
      if (part || (cut && i >= lastRead)) {
        plan.partitions().get(i).readPart(last[i], passed);
      } else {
        plan.partitions().get(i).readAll(passed);
      }
    }
  }

  private int[] handlerPlaces(List<String> laneHandlers) {
    int[] places = new int[lanes.handlers().size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = laneHandlers.indexOf(lanes.handlers().get(i).name());
    }
    return places;
  }

  /** The first deferred seqs of one row's key, by handler. */
  @SuppressWarnings("ArrayRecordComponent") // made for one row, never compared
  private record Heads(int[] places, long[] seqs) {
    static final Heads NONE = new Heads(new int[0], new long[0]);

    long of(int handler) {
      int place = seqs.length == 0 ? -1 : places[handler];
      return place < 0 ? ReadResult.NO_HEAD : seqs[place];
    }
  }

  private void accept(HeldPartition partition, Routed routed, Heads heads, ReadTimes read) {
    StoredMessage message = routed.message();
    partition.itemAdded();
    PendingMessage pending =
        new PendingMessage(partition, message, window.claim(message.envelope()), read);
    for (Settlement.Leftover other : routed.others()) {
      leaveOver(pending, other.handler(), other.fate());
    }
    boolean apart = partition.isCautious();
    for (int taker : routed.takers()) {
      HandlerLanes handler = lanes.handlers().get(taker);
      apart |=
          handler.spec().isTransactional() && (routed.takers().length > 1 || !pending.isWhole());
      offer(pending, handler, heads.of(taker));
    }
    if (apart || !pending.isWhole() || pending.isComplete()) {
      outflow.split(pending);
    } else if (routed.takers().length > 1) {
      outflow.shared().add(pending);
    }
  }

  private void leaveOver(PendingMessage pending, String name, Fate fate) {
    HandlerLanes here = lanes.handler(name);
    if (here == null || !(fate instanceof Fate.Deferred)) {
      pending.leaveOver(name, fate);
      return;
    }
    Lane lane = lanes.of(here, pending.message());
    outflow.close(lane, pending.message().seq());
    pending.leaveOver(lane, fate);
  }

  private void offer(PendingMessage pending, HandlerLanes handler, long head) {
    Lane lane = lanes.of(handler, pending.message());
    if (lane.holds() && lane.isClosedFor(pending.message().seq(), head)) {
      pending.leaveOver(lane, Outflow.HELD);
      return;
    }
    LaneEntry entry = new LaneEntry(pending, lane);
    pending.open(entry);
    lanes.enqueue(entry);
  }
}
