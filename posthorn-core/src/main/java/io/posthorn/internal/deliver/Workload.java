/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus;
import io.posthorn.internal.lease.Fleet;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All that a relay has in memory: partitions it holds, messages on their way to handlers, outcomes
 * on their way to the store. One lock guards it; every operation is a short batch, so the duties
 * and workers hardly meet on it. {@link Intake} brings rows in, {@link Runs} hands them out, {@link
 * Parking} makes room, this class does the rest.
 *
 * <p>A message that was read is in exactly one place: queued or running in a lane for each handler
 * that is not done, or among the outcomes. It leaves the window when its outcome has been stored.
 */
public final class Workload {
  /** What the duties want to hear of. Called within the lock, so they only nudge. */
  public interface Signals {
    /** There is something to settle. */
    void outcomeWaits();

    /** There is a blocked lane to look at. */
    void laneWaits();

    /** Lanes wait although there could be more workers: see soon whether those at work go on. */
    void workersHeldBack();
  }

  /** A person may have changed the lane in the meantime. */
  private static final Duration LONGEST_REST = Duration.ofSeconds(30);

  final ReentrantLock lock = new ReentrantLock();
  final Ticker ticker;
  final RelayOptions options;
  final Map<Integer, Holding> holdings = new TreeMap<>(); // guarded by lock
  final LaneTable lanes; // guarded by lock
  final Window window; // guarded by lock
  final Deque<PendingMessage> shared =
      new ArrayDeque<>(); // guarded by lock; those with several handlers, oldest first
  final Suspects suspects = new Suspects(this); // guarded by lock
  final DueTimes dueTimes = new DueTimes(); // guarded by lock
  private final Deque<Outcome> outcomes = new ArrayDeque<>(); // guarded by lock
  final Signals signals;
  private final Aliases aliases;
  private volatile BitSet kept = new BitSet(); // replaced under lock, never changed
  volatile boolean paused;
  volatile Fleet fleet = Fleet.NONE;

  /**
   * @param handlers typed ones first
   */
  public Workload(RelayOptions options, Ticker ticker, Handlers handlers, Signals signals) {
    this.options = options;
    this.ticker = ticker;
    this.signals = signals;
    this.aliases = handlers.aliases();
    this.window = new Window(options.windowMessages(), options.windowBytes());
    this.lanes =
        new LaneTable(handlers.queues(), this::leftOver, this::givenBack, signals::laneWaits);
  }

  // --- lease

  public void fleet(Fleet fleet) {
    this.fleet = fleet;
  }

  /** Partitions came to this relay. They are read once their blocked lanes are known. */
  public void hold(RelayIdentity me, List<PartitionOwner> partitions) {
    inLock(
        () -> {
          for (PartitionOwner partition : partitions) {
            holdings.put(partition.partition(), new Holding(me, partition, ticker.nanos()));
          }
          noteKept();
        });
  }

  /**
   * How many more messages of a handler may be read. While its circuit is open, a few for the
   * probes.
   */
  int roomOf(HandlerQueue handler) {
    if (paused || handler.paused || handler.stuck()) {
      return 0;
    }
    if (handler.circuit.isOpen()) {
      return handler.inMemory == 0 ? HandlerQueue.PROBE_LANES : 0;
    }
    int share = Math.max(1, window.maxMessages() / lanes.handlers().size());
    return Math.max(0, Math.min(share - handler.inMemory, window.free()));
  }

  /**
   * Brings a deferred row into the memory.
   *
   * @param instead what becomes of it without a delivery, or null
   */
  void take(Holding holding, Lane lane, DeferredMessage row, @Nullable Fate instead) {
    holding.items++;
    window.add(row.message());
    lane.deferredInMemory++;
    if (instead == null) {
      lanes.enqueue(new Task(holding, lane, aliases.today(row)));
    } else {
      addOutcome(new Outcome.OfDeferred(holding, row.message(), row.handler(), lane, instead));
    }
  }

  /** How long to wait before a lane is looked at again whose head is due in this time. */
  static long untilCheck(Duration dueIn) {
    return Math.min(dueIn.toNanos(), LONGEST_REST.toNanos());
  }

  private void noteKept() {
    BitSet now = new BitSet();
    holdings.values().stream()
        .filter(holding -> holding.state != Holding.State.DRAINING)
        .forEach(holding -> now.set(holding.partition));
    kept = now;
  }

  /** Partitions held, those being drained included, with their epochs. */
  public Map<Integer, Long> epochs() {
    return locked(
        () -> {
          Map<Integer, Long> epochs = new TreeMap<>();
          holdings.values().forEach(holding -> epochs.put(holding.partition, holding.epoch));
          return epochs;
        });
  }

  /** Partitions that are not being drained. */
  public List<Integer> keptPartitions() {
    return kept.stream().boxed().toList();
  }

  /** Whether one of these partitions is held and not being drained. */
  public boolean keepsOneOf(BitSet partitions) {
    return kept.intersects(partitions);
  }

  /** Whether all of these partitions are held and not being drained. */
  public boolean keepsAllOf(BitSet partitions) {
    BitSet others = (BitSet) partitions.clone();
    others.andNot(kept);
    return others.isEmpty();
  }

  /** Starts nothing more of these partitions; what was not started stays in the tables. */
  public void drain(Collection<Integer> partitions) {
    inLock(
        () -> {
          for (int partition : partitions) {
            Holding holding = holdings.get(partition);
            if (holding != null && holding.state != Holding.State.DRAINING) {
              Draining.begin(this, holding);
            }
          }
          noteKept();
        });
  }

  /** Drained partitions of which nothing is in memory any more. */
  public List<Integer> drainedPartitions() {
    return locked(
        () -> holdings.values().stream().filter(Holding::drained).map(Holding::partition).toList());
  }

  /**
   * Partitions of which an owner had died, and which have come to rest since. Quiet for a while,
   * what was due has been read.
   */
  public List<Integer> restedPartitions() {
    return locked(
        () -> {
          long quiet = 2 * options.pollInterval().toNanos();
          return holdings.values().stream()
              .filter(holding -> holding.restless)
              .filter(holding -> holding.atRest(ticker.nanos(), quiet, window.maxMessages()))
              .map(Holding::partition)
              .toList();
        });
  }

  /** Earlier crashes of their owners no longer count for these partitions. */
  public void calmed(Collection<Integer> partitions) {
    inLock(
        () ->
            partitions.stream().map(holdings::get).filter(Objects::nonNull).forEach(Holding::calm));
  }

  /** These partitions were given up. */
  public void released(Collection<Integer> partitions) {
    inLock(
        () -> {
          for (int partition : partitions) {
            Holding holding = holdings.remove(partition);
            if (holding != null) {
              holding.state = Holding.State.GONE;
              lanes.dropPartition(partition);
            }
          }
          noteKept();
        });
  }

  /** The relay lost all its partitions: nothing in memory counts any more. */
  public void expelled() {
    inLock(
        () -> {
          holdings.values().forEach(holding -> holding.state = Holding.State.GONE);
          outcomes.clear();
          suspects.forget();
          shared.clear();
          window.clear();
          for (HandlerQueue handler : lanes.handlers()) {
            lanes.queuedLanes(handler).forEach(lane -> lane.queue.clear());
            handler.ready.forEach(lane -> lane.listed = false);
            handler.ready.clear();
            handler.inMemory = 0;
          }
          List.copyOf(holdings.keySet()).forEach(lanes::dropPartition);
          holdings.clear();
          noteKept();
        });
  }

  // --- settle

  /**
   * Some handler will not be done with this message here, so its row is split: for each of the
   * others it becomes a deferred one, which that handler goes on with as if nothing had happened.
   */
  void leftOver(PendingMessage pending) {
    splitBefore(pending);
    split(pending);
  }

  private void split(PendingMessage pending) {
    for (Task task : pending.openTasks()) {
      lanes.detach(task, pending);
      pending.holding.items++;
      window.share(pending.message);
      pending.holding.enterDeferred(pending.message.seq(), task.rowHandler);
    }
    addOutcome(new Outcome.OfReady(pending));
  }

  /** No handler has it in memory any more. */
  void settle(PendingMessage pending) {
    if (!pending.whole()) {
      splitBefore(pending);
    }
    addOutcome(new Outcome.OfReady(pending));
  }

  /**
   * What is deferred stands before all ready rows of its lane, so that whoever takes over need not
   * look there for earlier ones. Those that are still ready are split too, before this one.
   */
  private void splitBefore(PendingMessage pending) {
    StoredMessage message = pending.message;
    String key = message.envelope().key();
    if (key == null) {
      return;
    }
    NavigableMap<Long, PendingMessage> earlier = new TreeMap<>();
    for (HandlerQueue handler : lanes.handlers()) {
      Lane lane = lanes.find(new LaneId(message.partition(), handler.name(), key));
      if (lane != null && lane.holds) {
        for (PendingMessage ready : lane.readyBefore(message.seq())) {
          if (ready.holding == pending.holding) {
            earlier.put(ready.message.seq(), ready);
          }
        }
      }
    }
    earlier.values().forEach(this::split);
  }

  private void givenBack(Task task) {
    suspects.notDelivered(task);
    task.holding.items--;
    window.remove(task.message);
    task.holding.leaveDeferred(task.message.seq(), task.rowHandler);
  }

  void addOutcome(Outcome outcome) {
    outcomes.add(outcome);
    signals.outcomeWaits();
  }

  /** Takes outcomes to be stored, in order. */
  public List<Outcome> takeOutcomes(int max) {
    return locked(
        () -> {
          List<Outcome> taken = new ArrayList<>(Math.min(max, outcomes.size()));
          while (taken.size() < max && !outcomes.isEmpty()) {
            taken.add(outcomes.remove());
          }
          return taken;
        });
  }

  /** These outcomes were stored. */
  public void settled(List<Outcome> stored) {
    inLock(
        () -> {
          for (Outcome outcome : stored) {
            if (outcome.holding().state != Holding.State.GONE) {
              outcome.holding().items--;
              outcome.holding().settledRows++;
              if (outcome instanceof Outcome.OfReady ready) {
                settledReady(ready.pending());
              } else if (outcome instanceof Outcome.OfDeferred deferred) {
                settledDeferred(deferred);
              } else if (outcome instanceof Outcome.OfSuspect suspect) {
                suspects.recorded(suspect.task());
              }
            }
          }
        });
  }

  /**
   * These outcomes can't be stored. Their rows stay as they are, and are not read again by this
   * relay.
   */
  public void abandoned(List<Outcome> refused) {
    inLock(
        () -> {
          for (Outcome outcome : refused) {
            if (outcome.holding().state != Holding.State.GONE) {
              outcome.holding().items--;
              if (outcome instanceof Outcome.OfSuspect suspect) {
                suspects.recorded(suspect.task()); // better delivered than stuck
              } else {
                window.remove(outcome.message());
              }
            }
          }
        });
  }

  /** The outcome of a task was stored in the transaction of its handler. Within the lock. */
  void settledWithDelivery(Task task) {
    task.holding.items--;
    PendingMessage pending = task.pending;
    if (pending == null) {
      settledDeferred(
          new Outcome.OfDeferred(
              task.holding, task.message, task.rowHandler, task.lane, Fate.DELIVERED));
    } else {
      pending.done(task);
      settledReady(pending);
    }
  }

  private void settledReady(PendingMessage pending) {
    window.remove(pending.message);
    pending.holding.leave(pending.message.seq());
    pending.endMoves().forEach(lanes::settleDown);
  }

  private void settledDeferred(Outcome.OfDeferred deferred) {
    window.remove(deferred.message());
    deferred.holding().leaveDeferred(deferred.message().seq(), deferred.rowHandler());
    Lane lane = deferred.lane();
    if (lane != null) {
      lane.deferredInMemory--;
      lanes.settleDown(lane);
    }
  }

  /** Partitions that may be read now. Within the lock. */
  List<Holding> readable() {
    if (paused) {
      return List.of();
    }
    return holdings.values().stream()
        .filter(holding -> holding.state == Holding.State.HELD)
        .filter(holding -> !lanes.paused(holding.partition))
        .toList();
  }

  // --- people

  /** Stops or lets go on all deliveries and reads. */
  public void pause(boolean pause) {
    paused = pause;
  }

  /**
   * Takes what is paused for the whole fleet: no deliveries of those handlers, no reads of those
   * partitions.
   *
   * @return whether something goes on that was paused
   */
  public boolean pauses(Set<FleetSurvey.Pause> pauses) {
    Set<String> handlers = names(pauses, FleetSurvey.Paused.HANDLER);
    Set<Integer> partitions =
        names(pauses, FleetSurvey.Paused.PARTITION).stream()
            .filter(name -> name.matches("[0-9]{1,5}")) // what people write into tables
            .map(Integer::valueOf)
            .collect(Collectors.toSet());
    return locked(
        () -> {
          boolean resumed = false;
          for (HandlerQueue handler : lanes.handlers()) {
            boolean pause = handlers.contains(handler.name());
            resumed |= handler.paused && !pause;
            handler.paused = pause;
          }
          return lanes.pauseOnly(partitions) || resumed;
        });
  }

  private static Set<String> names(Set<FleetSurvey.Pause> pauses, FleetSurvey.Paused kind) {
    return pauses.stream()
        .filter(pause -> pause.kind() == kind)
        .map(FleetSurvey.Pause::name)
        .collect(Collectors.toSet());
  }

  /** Somebody else may have changed the blocked lanes of these partitions. */
  public void lookAtLanes(BitSet partitions) {
    inLock(() -> lanes.checkNow(partitions, ticker.nanos()));
  }

  /** Messages in memory, those being settled included. */
  public int inMemory() {
    return locked(window::messages);
  }

  /** Whether reading is worth while again after the window was full. */
  public boolean roomy() {
    return locked(() -> window.free() >= window.maxMessages() / 4);
  }

  /** Whether nothing more can be read for now. */
  public boolean full() {
    return locked(this::noRoom);
  }

  /** Whether there is too little room to read something of each partition. Within the lock. */
  boolean noRoom() {
    return window.free() < Math.max(1, Math.min(holdings.size(), window.maxMessages()));
  }

  /** What each handler is doing, by name. */
  public Map<String, RelayStatus.HandlerStatus> handlers() {
    return locked(
        () ->
            lanes.handlers().stream()
                .collect(Collectors.toMap(HandlerQueue::name, HandlerQueue::status)));
  }

  /** Lanes with messages in the deferred table, as far as known. */
  public int blockedLanes() {
    return locked(lanes::blockedLanes);
  }

  void inLock(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
