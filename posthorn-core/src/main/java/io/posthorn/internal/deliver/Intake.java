/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.lease.Fleet;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore.ReadSlice;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Brings ready rows into the memory: says what to read, and takes what was read. Called by the
 * reader's thread only; each method holds the workload's lock, never during a read.
 */
public final class Intake {
  /** How many rows a partition is asked for that had none or few at the last read. */
  private static final int PROBE = 8;

  private final Workload workload;
  private final Handlers handlers;
  private final UnknownTypes unknown;
  private final DeferredIntake deferred;
  private final BacklogIntake backlogs;
  private Horizon horizon; // guarded by the workload's lock
  private int lastSwept = -1; // a partition

  public Intake(Workload workload, Handlers handlers, UnknownTypes unknown) {
    this.workload = workload;
    this.handlers = handlers;
    this.unknown = unknown;
    this.horizon = newHorizon(workload);
    DeferredRouting routing = new DeferredRouting(workload, handlers.aliases(), unknown);
    this.deferred = new DeferredIntake(workload, handlers, unknown, routing);
    this.backlogs = new BacklogIntake(workload, routing);
  }

  private static Horizon newHorizon(Workload workload) {
    return new Horizon(workload.ticker.nanos(), workload.options.lookBack().toNanos());
  }

  /**
   * Lets all reads begin at the beginning again. A database that has crashed may draw seqs, and
   * number transactions, a second time: those that nobody had committed with are forgotten.
   */
  public void mistrustFloors() {
    workload.inLock(
        () -> {
          horizon = newHorizon(workload);
          workload.holdings.values().forEach(holding -> holding.cursor.reset());
        });
  }

  /** The same for backlogs. */
  public BacklogIntake backlogs() {
    return backlogs;
  }

  /** The same for deferred rows. */
  public DeferredIntake deferred() {
    return deferred;
  }

  // --- newly held partitions

  /** Partitions of which it is not known yet who has deferred rows. */
  public List<Holding> holdingsToLoad() {
    return workload.locked(
        () ->
            workload.holdings.values().stream()
                .filter(holding -> holding.state == Holding.State.LOADING)
                .toList());
  }

  /** Reading of these partitions may begin. */
  public void loaded(List<Holding> loaded, Map<Integer, Set<String>> handlersWithRows) {
    workload.inLock(
        () -> {
          backlogs.open(loaded, handlersWithRows);
          loaded.stream()
              .filter(holding -> holding.state == Holding.State.LOADING)
              .forEach(holding -> holding.state = Holding.State.HELD);
        });
  }

  // --- ready rows

  /** Which partitions a read takes from the beginning. */
  public enum Sweep {
    NONE,
    NEXT,
    ALL
  }

  /**
   * What has to be swept regularly. Where nothing is known to be possible below the floor, it is
   * one partition at a time: a sweep walks over all rows that could not be vacuumed yet.
   */
  public Sweep regularSweep() {
    return workload.locked(() -> horizon.unsure() ? Sweep.ALL : Sweep.NEXT);
  }

  /**
   * What to read now; empty if nothing may be read.
   *
   * @param wanted which partitions; those to be swept, and those that had more than was asked for,
   *     are read anyway
   */
  public Optional<ReadPlan> plan(Sweep sweep, IntPredicate wanted) {
    return workload.locked(
        () -> {
          if (workload.noRoom()) {
            return Optional.empty(); // and the partition whose turn it is keeps it
          }
          List<Holding> readable = workload.readable();
          IntPredicate swept = swept(sweep, readable);
          List<Holding> open =
              readable.stream()
                  .filter(
                      holding ->
                          holding.cursor.full()
                              || wanted.test(holding.partition)
                              || swept.test(holding.partition))
                  .filter(holding -> !backlogs.surveys(holding))
                  .toList();
          int free = workload.window.free();
          if (open.isEmpty()) {
            return Optional.empty();
          }
          List<ReadSlice> slices = new ArrayList<>(open.size());
          Map<Integer, Holding> planned = new HashMap<>();
          Shares shares = new Shares(open, free);
          for (Holding holding : open) {
            holding.readBegins();
            slices.add(
                new ReadSlice(holding.partition, start(holding, swept), shares.next(holding)));
            planned.put(holding.partition, holding);
          }
          long now = workload.ticker.nanos();
          boolean whole = sweep == Sweep.ALL && open.size() == readable.size();
          return Optional.of(
              new ReadPlan(
                  slices, known(open, swept), planned, whole, horizon.wantsMark(now), now));
        });
  }

  private IntPredicate swept(Sweep sweep, List<Holding> readable) {
    if (sweep == Sweep.NEXT) {
      lastSwept =
          readable.stream()
              .map(Holding::partition)
              .min(Comparator.comparing((Integer p) -> p <= lastSwept).thenComparing(p -> p))
              .orElse(lastSwept);
      return partition -> partition == lastSwept;
    }
    return partition -> sweep == Sweep.ALL;
  }

  private static long start(Holding holding, IntPredicate swept) {
    return swept.test(holding.partition) ? 0 : holding.cursor.floor();
  }

  /** Divides the room: those that had more than was asked for at the last read get most of it. */
  private static final class Shares {
    private final int hungryShare;
    private final int probe;

    Shares(List<Holding> open, int free) {
      int hungry = (int) open.stream().filter(holding -> holding.cursor.full()).count();
      int others = open.size() - hungry;
      this.probe =
          others == 0 ? 0 : Math.max(1, Math.min(PROBE, free / (hungry == 0 ? 1 : 2) / others));
      this.hungryShare = hungry == 0 ? 0 : Math.max(1, (free - probe * others) / hungry);
    }

    int next(Holding holding) {
      return holding.cursor.full() ? hungryShare : probe;
    }
  }

  /** What a read would return though it is in memory. */
  private static long[] known(List<Holding> open, IntPredicate swept) {
    return open.stream()
        .flatMapToLong(
            holding -> holding.inFlightAbove(start(holding, swept)).stream().mapToLong(seq -> seq))
        .toArray();
  }

  /**
   * Takes the rows of a read.
   *
   * @return how many of them were new
   */
  public int accept(ReadPlan plan, ReadResult result) {
    return workload.locked(
        () -> {
          Map<Integer, List<StoredMessage>> byPartition = new HashMap<>();
          result
              .rows()
              .forEach(
                  row ->
                      byPartition
                          .computeIfAbsent(row.partition(), any -> new ArrayList<>())
                          .add(row));
          int added = 0;
          boolean whole = plan.whole();
          boolean below = false;
          long passed =
              horizon.read(result, plan.wantsMark(), plan.begun(), workload.ticker.nanos());
          for (ReadSlice slice : plan.slices()) {
            Holding holding = requireNonNull(plan.holdings().get(slice.partition()));
            List<StoredMessage> rows = byPartition.getOrDefault(slice.partition(), List.of());
            if (holding.state == Holding.State.HELD) {
              int more = accept(holding, rows);
              below |= more > 0 && rows.get(0).seq() <= holding.cursor.floor();
              added += more;
              long last = rows.isEmpty() ? 0 : rows.get(rows.size() - 1).seq();
              boolean full = rows.size() >= slice.limit();
              holding.cursor.read(last, full, passed);
              whole &= !full;
            }
          }
          if (whole) {
            horizon.swept(result);
          }
          if (below && !horizon.unsure()) {
            mistrustFloors(); // there may be more where nobody could write
          }
          return added;
        });
  }

  private int accept(Holding holding, List<StoredMessage> rows) {
    int added = 0;
    for (StoredMessage row : rows) {
      if (holding.enter(row.seq())) {
        route(holding, row);
        added++;
      }
    }
    return added;
  }

  /** Whether some partition had as many rows as it was asked for. */
  public boolean moreWaiting() {
    return workload.locked(
        () -> workload.readable().stream().anyMatch(holding -> holding.cursor.full()));
  }

  /** How long until something noted in memory falls due. */
  public Duration nextIn(Duration otherwise) {
    return workload.locked(
        () -> {
          long now = workload.ticker.nanos();
          long next = deferred.nanosUntilNext(now, otherwise.toNanos());
          return Duration.ofNanos(backlogs.nanosUntilNext(now, next));
        });
  }

  private void route(Holding holding, StoredMessage row) {
    holding.items++;
    workload.window.add(row);
    StoredMessage message = handlers.aliases().today(row);
    PendingMessage pending = new PendingMessage(holding, message, workload.ticker.nanos());
    Handlers.Takers takers = handlers.takersOf(message.envelope());
    takers
        .failed()
        .forEach((handler, cause) -> pending.leaveOver(handler, Handlers.untestable(cause)));
    leaveForOthers(pending, takers.none(), row.envelope().type());
    boolean alone = takers.queues().size() == 1 && pending.whole();
    takers.queues().forEach(handler -> workload.lanes.offer(pending, handler, alone));
    if (pending.complete() || pending.torn() || pending.standsBeforeDeferred()) {
      workload.leftOver(pending);
    } else if (takers.queues().size() > 1) {
      workload.shared.add(pending);
    }
  }

  /** Leaves it over for handlers that only other instances have, or for whoever comes. */
  private void leaveForOthers(PendingMessage pending, boolean nobodyHere, String storedType) {
    Envelope envelope = pending.message.envelope();
    Fleet.Elsewhere elsewhere = workload.fleet.elsewhere(storedType, envelope.type());
    if (!nobodyHere || !elsewhere.typed().isEmpty()) {
      elsewhere.typed().forEach(handler -> leaveFor(handler, pending));
      elsewhere.generic().forEach(handler -> leaveFor(handler, pending));
      elsewhere.gone().forEach(handler -> leaveFor(handler, pending));
      return;
    }
    Fate fate =
        elsewhere.none()
            ? unknown.fate(envelope, 0, Duration.ZERO)
            : UnknownTypes.perhapsElsewhere();
    if (!(fate instanceof Fate.Delivered)) {
      pending.leaveOver(DeferredMessage.UNDECIDED, fate);
    }
  }

  private void leaveFor(String name, PendingMessage pending) {
    Fate waiting = new Fate.Deferred(DeferReason.WAITING, 0, null, null);
    HandlerQueue here = workload.lanes.handler(name);
    if (here == null) {
      pending.leaveOver(name, waiting);
    } else {
      workload.lanes.leave(pending, here, waiting, workload.ticker.nanos());
    }
  }
}
