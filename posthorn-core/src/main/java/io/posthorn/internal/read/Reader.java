/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.RelayOptions;
import io.posthorn.internal.deliver.BacklogIntake;
import io.posthorn.internal.deliver.DeferredIntake;
import io.posthorn.internal.deliver.Holding;
import io.posthorn.internal.deliver.Intake;
import io.posthorn.internal.deliver.Orphans;
import io.posthorn.internal.deliver.Parking;
import io.posthorn.internal.deliver.ReadPlan;
import io.posthorn.internal.deliver.Workers;
import io.posthorn.internal.deliver.Workload;
import io.posthorn.internal.lease.LeaseClock;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reads rows of held partitions into the window, and starts workers for them. Each read begins at a
 * floor below which no row can appear any more, and passes over what is in memory; now and then one
 * begins at the beginning.
 */
public final class Reader implements Duty {
  private static final BitSet NONE = new BitSet();
  private static final Duration LONGEST_REST = Duration.ofMillis(5);
  private static final int LANES_A_PASS = 200;
  private static final int ROWS_A_PASS = 1_000;
  private static final int LEAST_ROWS_A_LANE = 32;
  private static final int DUE_ROWS_A_PASS = 500;
  private static final int MOST_BLOCKED_BY_HAND = 10_000;

  private final RelayStore store;
  private final Workload workload;
  private final Intake intake;
  private final DeferredIntake deferred;
  private final BacklogIntake backlogs;
  private final Parking parking;
  private final Orphans orphans;
  private final Workers workers;
  private final LeaseClock lease;
  private final Ticker ticker;
  private final RelayOptions options;

  private final AtomicReference<BitSet> told =
      new AtomicReference<>(NONE); // never changed in place
  private long sweptAt;
  private long lookedAt; // when all partitions were read
  private long dueReadAt;
  private volatile boolean dueWanted = true;
  private Duration idleWait;
  private volatile boolean waitsForRoom;
  private volatile boolean sweepWanted = true;
  private final AtomicLong emptySweeps = new AtomicLong();

  public Reader(
      RelayStore store,
      Workload workload,
      Intake intake,
      Workers workers,
      LeaseClock lease,
      Setting setting) {
    this.store = store;
    this.workload = workload;
    this.intake = intake;
    this.deferred = intake.deferred();
    this.backlogs = intake.backlogs();
    this.parking = new Parking(workload);
    this.orphans = new Orphans(store, workload);
    this.workers = workers;
    this.lease = lease;
    this.ticker = setting.ticker();
    this.options = setting.options();
    this.idleWait = options.busyPollInterval();
  }

  /** What a reader goes by. */
  public record Setting(Ticker ticker, RelayOptions options) {}

  @Override
  public String name() {
    return "read";
  }

  @Override
  public StepResult runOnce() {
    if (!lease.valid()) {
      return new StepResult(0, options.busyPollInterval());
    }
    boolean done = false;
    try {
      StepResult result = readAll();
      done = true;
      return result;
    } finally {
      if (!done) {
        intake.mistrustFloors();
      }
    }
  }

  private StepResult readAll() {
    long begun = ticker.nanos();
    load();
    parking.runOnce();
    int read = readBacklogs() + readReady();
    int started = workers.start(); // before the other reads: these messages have waited least
    read += readLanes() + readDue() + orphans.runOnce();
    started += workers.start();
    waitsForRoom = workload.full();
    if (read > 0) {
      idleWait = options.busyPollInterval();
    }
    if (!waitsForRoom && (dueWanted || intake.moreWaiting())) {
      return StepResult.again(read + started);
    }
    // With a full window it is settles that nudge, and each moment of rest would be one of theirs.
    boolean rests = read > 0 && !waitsForRoom;
    return new StepResult(read + started, nextWait(read), rests ? rest(begun) : Duration.ZERO);
  }

  /**
   * As long as it has read: publishers nudge with every commit, and would pay with their speed for
   * a reader that is always there for one row more.
   */
  private Duration rest(long begun) {
    return Duration.ofNanos(Math.min(ticker.nanos() - begun, LONGEST_REST.toNanos()));
  }

  private Duration nextWait(int read) {
    Duration wait = idleWait;
    if (read == 0) {
      Duration longer = idleWait.multipliedBy(2);
      idleWait = longer.compareTo(options.pollInterval()) > 0 ? options.pollInterval() : longer;
    }
    // Delayed messages are late by one poll interval at the most.
    long untilDueRead = dueReadAt + options.pollInterval().toNanos() - ticker.nanos();
    return Duration.ofNanos(Math.max(0, Math.min(untilDueRead, intake.nextIn(wait).toNanos())));
  }

  /** Before the first read of a partition it must be known who has deferred rows there. */
  private void load() {
    List<Holding> toLoad = intake.holdingsToLoad();
    if (!toLoad.isEmpty()) {
      intake.loaded(toLoad, store.deferredHandlers(partitions(toLoad)));
      sweepWanted = true;
      dueWanted = true;
    }
  }

  private static List<Integer> partitions(Collection<Holding> holdings) {
    return holdings.stream().map(Holding::partition).toList();
  }

  private int readReady() {
    long now = ticker.nanos();
    Intake.Sweep sweep = sweepAt(now);
    boolean sweepsAll = sweep == Intake.Sweep.ALL;
    BitSet partitions = takeTold();
    // Not told of any: the time for a look everywhere, as when signals do not come.
    boolean everywhere =
        sweepsAll || partitions.isEmpty() || now - lookedAt >= options.pollInterval().toNanos();
    ReadPlan plan =
        intake.plan(sweep, partition -> everywhere || partitions.get(partition)).orElse(null);
    if (plan == null) {
      messagesIn(partitions);
      return 0;
    }
    if (everywhere) {
      lookedAt = now;
    }
    if (sweepsAll) {
      sweepWanted = false;
    }
    boolean done = false;
    try {
      int accepted = intake.accept(plan, store.read(plan.slices(), plan.known(), plan.wantsMark()));
      done = true;
      if (sweep != Intake.Sweep.NONE) {
        sweptAt = now;
      }
      if (sweepsAll && accepted == 0) {
        emptySweeps.incrementAndGet();
      }
      return accepted;
    } finally {
      sweepWanted |= sweepsAll && !done;
      if (!done) {
        messagesIn(partitions);
      }
    }
  }

  private Intake.Sweep sweepAt(long now) {
    if (sweepWanted) {
      return Intake.Sweep.ALL;
    }
    boolean due = now - sweptAt >= options.sweepInterval().toNanos();
    return due ? intake.regularSweep() : Intake.Sweep.NONE;
  }

  private BitSet takeTold() {
    return told.getAndSet(NONE);
  }

  /** Messages were committed to these partitions. */
  public void messagesIn(BitSet partitions) {
    told.accumulateAndGet(
        partitions,
        (some, more) -> {
          BitSet all = (BitSet) some.clone();
          all.or(more);
          return all;
        });
  }

  private int readBacklogs() {
    int read = 0;
    for (String handler : backlogs.handlers()) {
      BacklogIntake.Plan plan = backlogs.plan(handler).orElse(null);
      if (plan != null) {
        read += backlogs.accept(plan, store.readBacklog(handler, plan.slices()));
      }
    }
    return read;
  }

  private int readLanes() {
    Map<LaneId, Holding> lanes = deferred.lanesToCheck(LANES_A_PASS);
    if (lanes.isEmpty()) {
      return 0;
    }
    boolean done = false;
    try {
      List<DeferredMessage> rows = store.readLanes(lanes.keySet(), rowsALane(lanes.size()));
      int taken = deferred.acceptLanes(lanes, rows);
      done = true;
      return taken;
    } finally {
      if (!done) {
        deferred.checkAgain(lanes);
      }
    }
  }

  /** A few lanes are read deeply, many only a little: together they must fit into the window. */
  private int rowsALane(int lanes) {
    int most = Math.min(ROWS_A_PASS, Math.max(1, options.windowMessages() / 2));
    return Math.max(Math.min(LEAST_ROWS_A_LANE, most), most / lanes);
  }

  private int readDue() {
    long now = ticker.nanos();
    boolean due = deferred.dueNow() || now - dueReadAt >= options.pollInterval().toNanos();
    if (!due && !dueWanted) {
      return 0;
    }
    dueWanted = true; // until it has worked
    Map<Integer, Holding> planned = deferred.duePlan();
    int taken = 0;
    int lookedAt = 0;
    boolean more = workload.full(); // it is too early to look
    List<String> handlers = more ? List.of() : withRows(planned.keySet());
    if (!handlers.isEmpty()) {
      int limit = deferred.dueLimit(planned.values(), DUE_ROWS_A_PASS);
      List<DeferredMessage> rows = store.readDue(planned.keySet(), handlers, limit);
      taken = deferred.acceptDue(planned, rows);
      more = rows.size() >= limit;
      lookedAt =
          deferred.lookAt(planned, store.dueLanes(planned.keySet(), handlers, LANES_A_PASS))
              + deferred.blockedByHand(
                  planned,
                  store.lanesBlockedByHand(planned.keySet(), handlers, MOST_BLOCKED_BY_HAND));
    }
    dueReadAt = now;
    dueWanted = more;
    return taken + lookedAt;
  }

  /** Those that have room and deferred rows: most of the time there are none. */
  private List<String> withRows(Collection<Integer> partitions) {
    Set<String> present = new HashSet<>();
    store.deferredHandlers(partitions).values().forEach(present::addAll);
    return deferred.handlersWithRoom().stream().filter(present::contains).toList();
  }

  /** Whether the relay is behind with its work. */
  public boolean waitsForRoom() {
    return waitsForRoom;
  }

  /** Whether it is worth a nudge that outcomes were settled. */
  public boolean hasRoomAgain() {
    return waitsForRoom && workload.roomy();
  }

  /** Asks for a read from the beginning. */
  public void requestSweep() {
    sweepWanted = true;
    dueWanted = true;
  }

  /** Asks for a look at deferred rows that are due. */
  public void requestDue() {
    dueWanted = true;
  }

  /** Reads from the beginning that found nothing new, so far. */
  public long emptySweeps() {
    return emptySweeps.get();
  }
}
