/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All that a relay has in memory: partitions it holds, messages on their way to handlers, outcomes
 * on their way to the store. One lock guards it; every verb is a short batch, so the duties and
 * workers hardly meet on it. Nothing of the user's runs inside the lock.
 *
 * <p>A message that was read is in exactly one place: queued or under way in a lane for each
 * handler that is not done, or among the outcomes. It leaves the window when its outcome has been
 * stored.
 */
public final class RelayMemory {
  /** What the duties want to hear of. Called within the lock, so they only nudge. */
  public interface Signals {
    /** There is something to settle. */
    void outcomeWaits();

    /** Lanes have something to deliver. */
    void workWaits();

    /** Deferred rows have come or gone: others may be due. */
    void deferredRowsChanged();

    /** Lanes wait although there could be more workers: see soon whether those at work go on. */
    void workersHeldBack();
  }

  /** How long a deferred row rests whose outcome was refused. */
  private static final Duration ABANDONED = Duration.ofMinutes(1);

  private final ReentrantLock lock = new ReentrantLock();
  private final Ticker ticker;
  private final RelayOptions options;
  private final Signals signals;
  private final PartitionTable partitions = new PartitionTable(); // guarded by lock
  private final LaneTable lanes; // guarded by lock
  private final Window window; // guarded by lock
  private final Outflow outflow; // guarded by lock
  private final ReadyIntake readyIntake; // guarded by lock
  private final DueIntake dueIntake; // guarded by lock
  private final WorkDispatcher dispatcher; // guarded by lock
  private final Spillover spillover; // guarded by lock
  private final DueTimes dueTimes = new DueTimes(); // guarded by lock
  private volatile boolean paused;

  /**
   * @param specs typed ones first
   */
  public RelayMemory(
      RelayOptions options, Ticker ticker, List<HandlerSpec<?>> specs, Signals signals) {
    this.options = options;
    this.ticker = ticker;
    this.signals = signals;
    long now = ticker.nanos();
    List<HandlerLanes> handlers = new ArrayList<>(specs.size());
    for (HandlerSpec<?> spec : specs) {
      handlers.add(new HandlerLanes(spec, options.workers(), options.probeInterval(), now));
    }
    this.window = new Window(options.windowMessages(), options.windowBytes());
    this.lanes = new LaneTable(handlers, id -> partitions.find(id.partition()));
    this.outflow = new Outflow(lanes, window, options.crashAttempts(), signals);
    this.readyIntake =
        new ReadyIntake(ticker, options.lookBack().toNanos(), lanes, outflow, window);
    this.dueIntake = new DueIntake(ticker, lanes, outflow, window);
    this.dispatcher = new WorkDispatcher(ticker, lanes, outflow, dueTimes);
    this.spillover = new Spillover(lanes, outflow, window, options.lateAfter().toNanos());
  }

  // --- lease

  /** Partitions came to this relay. They are read once it is known who has deferred rows there. */
  public void hold(RelayIdentity me, List<PartitionOwner> taken) {
    inLock(() -> partitions.hold(me, taken, ticker.nanos()));
  }

  /** Partitions held, those being drained included, with their epochs. */
  public Map<Integer, Long> epochs() {
    return locked(
        () -> {
          Map<Integer, Long> epochs = new TreeMap<>();
          partitions.all().forEach(held -> epochs.put(held.partition(), held.epoch()));
          return epochs;
        });
  }

  /** Partitions that are not being drained. */
  public List<Integer> keptPartitions() {
    return partitions.kept().stream().boxed().toList();
  }

  /** Whether one of these partitions is held and not being drained. */
  public boolean keepsOneOf(BitSet wanted) {
    return partitions.kept().intersects(wanted);
  }

  /** Whether all of these partitions are held and not being drained. */
  public boolean keepsAllOf(BitSet wanted) {
    BitSet others = (BitSet) wanted.clone();
    others.andNot(partitions.kept());
    return others.isEmpty();
  }

  /** Starts nothing more of these partitions; what was not started stays in the tables. */
  public void drain(Collection<Integer> numbers) {
    inLock(
        () -> {
          for (int number : numbers) {
            HeldPartition partition = partitions.find(number);
            if (partition != null && !partition.isDraining()) {
              Draining.begin(lanes, outflow, partition);
            }
          }
          partitions.noteKept();
        });
  }

  /** Drained partitions of which nothing is in memory any more. */
  public List<Integer> drainedPartitions() {
    return locked(() -> partitions.numbers(HeldPartition::isDrained));
  }

  /**
   * Partitions of which an owner had died, and which have come to rest since. Quiet for a while,
   * what was due has been read.
   */
  public List<Integer> restedPartitions() {
    return locked(
        () -> {
          long now = ticker.nanos();
          long quiet = 2 * options.pollInterval().toNanos();
          return partitions.numbers(
              held -> held.isRestless() && held.isAtRest(now, quiet, window.maxMessages()));
        });
  }

  /** Earlier crashes of their owners no longer count for these partitions. */
  public void calmed(Collection<Integer> numbers) {
    inLock(
        () -> {
          for (int number : numbers) {
            HeldPartition partition = partitions.find(number);
            if (partition != null) {
              partition.calm();
            }
          }
        });
  }

  /** These partitions were given up. */
  public void released(Collection<Integer> numbers) {
    inLock(
        () -> {
          for (int number : numbers) {
            if (partitions.remove(number) != null) {
              lanes.dropPartition(number);
            }
          }
        });
  }

  /** The relay lost all its partitions: nothing in memory counts any more. */
  public void expelled() {
    inLock(
        () -> {
          List<Integer> numbers = partitions.numbers(any -> true);
          numbers.forEach(partitions::remove);
          outflow.clear();
          outflow.quarantine().forget();
          window.clear();
          lanes.handlers().forEach(HandlerLanes::forgetEntries);
          numbers.forEach(lanes::dropPartition);
        });
  }

  /** The floors that have moved since they were stored, by partition. */
  public Map<Integer, Long> floorsToStore() {
    return locked(partitions::floorsToStore);
  }

  /** These floors were stored. */
  public void floorsStored(Map<Integer, Long> floors) {
    inLock(() -> partitions.floorsStored(floors));
  }

  // --- read

  /** Partitions of which it is not known yet who has deferred rows. */
  public List<HeldPartition> partitionsToLoad() {
    return locked(() -> partitions.all().stream().filter(HeldPartition::isLoading).toList());
  }

  /** Partitions that may be read now, by number. */
  public Map<Integer, HeldPartition> readablePartitions() {
    return locked(
        () -> {
          Map<Integer, HeldPartition> readable = new TreeMap<>();
          readable().forEach(partition -> readable.put(partition.partition(), partition));
          return readable;
        });
  }

  private List<HeldPartition> readable() {
    return paused ? List.of() : partitions.readable();
  }

  /** A number for a look at the deferred table that is about to begin. */
  public long lookBegins() {
    return locked(outflow::nextEvent);
  }

  /** A look at the deferred table has found these handlers in these partitions. */
  public void deferredHandlers(
      Collection<HeldPartition> looked, Map<Integer, Set<String>> handlers, long lookBegan) {
    inLock(
        () -> {
          for (HeldPartition partition : looked) {
            partition
                .deferredRows()
                .found(handlers.getOrDefault(partition.partition(), Set.of()), lookBegan);
            partition.loaded();
          }
        });
  }

  /** Handlers that may have deferred rows, by partition; no partition without any. */
  public Map<Integer, Set<String>> deferredHandlers() {
    return locked(
        () -> {
          Map<Integer, Set<String>> handlers = new HashMap<>();
          for (HeldPartition partition : readable()) {
            Set<String> names = partition.deferredRows().handlers();
            if (!names.isEmpty()) {
              handlers.put(partition.partition(), Set.copyOf(names));
            }
          }
          return handlers;
        });
  }

  /** Makes room, if that is due; returns how many messages are on their way out. */
  public int makeRoom() {
    return locked(() -> spillover.runOnce(ticker.nanos()));
  }

  /**
   * What to read of the ready table now; empty if nothing may be read.
   *
   * @param wanted which partitions; those that have more than was read are read anyway
   */
  public Optional<ReadPlan> planRead(IntPredicate wanted) {
    return locked(() -> readyIntake.plan(readable(), wanted));
  }

  /**
   * Takes the rows of a read.
   *
   * @param routed one for each row
   * @return how many of them were new; empty if the sequence has gone back: reads begin again
   */
  public Optional<Integer> acceptRead(
      ReadPlan plan, ReadResult result, List<RoutedMessage> routed) {
    return locked(
        () -> {
          Optional<Integer> added = readyIntake.accept(plan, result, routed);
          readyIntake.moveOn();
          for (HeldPartition partition : plan.partitions()) {
            if (partition.pollDeferredAhead()) {
              signals.deferredRowsChanged();
            }
          }
          return added;
        });
  }

  /** Whether rows can appear below the floors, so that they have to be looked for. */
  public boolean floorsUnsure() {
    return locked(readyIntake::unsure);
  }

  /** Only the stored floors count from now on: the database may be another one. */
  public void resetFloors(Map<Integer, Long> stored) {
    inLock(
        () -> {
          readyIntake.forgetTransactions();
          partitions.resetFloors(stored);
        });
  }

  /** What may be looked at below the floor of a partition; empty if there is nothing. */
  public Optional<SeqRange> rangeBelowFloor(int number, long after, long width) {
    return locked(() -> partitions.rangeBelowFloor(number, after, width));
  }

  /** The seqs in memory within these ranges. */
  public long[] knownIn(List<SeqRange> ranges) {
    return locked(() -> partitions.knownIn(ranges));
  }

  /** Rows were found below the floors of these partitions, the lowest at these seqs. */
  public void foundBelowFloor(Map<Integer, Long> found) {
    inLock(() -> partitions.foundBelowFloor(found));
  }

  /** What to read of the deferred table now; empty if there is nothing, or no room. */
  public Optional<DuePlan> planDue() {
    return locked(() -> dueIntake.plan(readable(), this::roomOf, !paused));
  }

  /** Takes deferred rows, each with what is to be done with it; returns how many were new. */
  public int acceptDue(DuePlan plan, DueResult result, List<RoutedDeferred> routed) {
    return locked(() -> dueIntake.accept(plan, result, routed));
  }

  /** Takes rows of one partition that nobody can deliver; returns how many were new. */
  public int acceptOrphans(HeldPartition partition, List<RoutedDeferred> rows) {
    return locked(() -> dueIntake.acceptOrphans(partition, rows));
  }

  /** A person has blocked lanes; returns how many of them had something in memory. */
  public int blockedByHand(List<LaneId> blocked) {
    return locked(() -> dueIntake.blockedByHand(blocked));
  }

  /** So many lanes have deferred rows, by handler. */
  public void blockedLanes(Map<String, Integer> counts) {
    inLock(
        () -> {
          for (HandlerLanes handler : lanes.handlers()) {
            handler.blockedLanes(counts.getOrDefault(handler.name(), 0));
          }
        });
  }

  /**
   * How many more messages of a handler may be read. While its circuit is open, a few for the
   * probes.
   */
  private int roomOf(HandlerLanes handler) {
    if (paused || handler.isPaused() || handler.isStuck()) {
      return 0;
    }
    if (handler.circuit().isOpen()) {
      return handler.inMemory() == 0 ? HandlerLanes.PROBE_LANES : 0;
    }
    int share = Math.max(1, window.maxMessages() / lanes.handlers().size());
    return Math.max(0, Math.min(share - handler.inMemory(), window.freeMessages()));
  }

  /** Whether some partition has rows that were not read. */
  public boolean moreWaiting() {
    return locked(() -> readable().stream().anyMatch(HeldPartition::hasMore));
  }

  /** Whether the time of a deferred row has come that was noted; forgets it. */
  public boolean pollDue() {
    return locked(() -> dueTimes.pollDue(ticker.nanos()));
  }

  /** How long until something noted in memory falls due. */
  public Duration nextIn(Duration otherwise) {
    return locked(
        () -> {
          long now = ticker.nanos();
          long next = dueTimes.nanosUntilNext(now, otherwise.toNanos());
          for (HandlerLanes handler : lanes.handlers()) {
            next = handler.nanosUntilDelivery(now, next);
          }
          return Duration.ofNanos(next);
        });
  }

  // --- deliver

  /** Counts a worker in for each batch that waits for one, as far as the handlers allow it. */
  public List<HandlerLanes> claimWorkers() {
    return locked(
        () -> {
          List<HandlerLanes> claimed = new ArrayList<>(0);
          long now = ticker.nanos();
          for (HandlerLanes handler : lanes.handlers()) {
            int more = paused ? 0 : Math.max(0, handler.missingWorkers(now));
            handler.workersStarted(more);
            for (int i = 0; i < more; i++) {
              claimed.add(handler);
            }
            if (!paused && handler.holdsWorkersBack(more, now)) {
              signals.workersHeldBack();
            }
          }
          return claimed;
        });
  }

  /** Counts a worker out that could not be started. */
  public void workerNotStarted(HandlerLanes handler) {
    inLock(handler::workerEnded);
  }

  /**
   * A worker hangs: another may stand in for it.
   *
   * @return whether so many hang now that no more are risked
   */
  public boolean workerLost(HandlerLanes handler) {
    return locked(
        () -> {
          handler.workerLost();
          return handler.isStuck();
        });
  }

  /** A worker that was given up has come back with its last batch. */
  public void workerBack(HandlerLanes handler, WorkBatch last) {
    inLock(
        () -> {
          handler.workerBack();
          end(handler, last);
        });
  }

  /**
   * Ends a worker's batch and gives it the next one.
   *
   * @param finished null at the first call
   * @return null if there is nothing to do; the worker has been counted out
   */
  public @Nullable WorkBatch nextBatch(HandlerLanes handler, @Nullable WorkBatch finished) {
    lock.lock();
    try {
      if (finished != null) {
        end(handler, finished);
      }
      WorkBatch batch = paused ? null : dispatcher.next(handler);
      if (batch == null) {
        handler.workerEnded();
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a worker's last batch and counts the worker out. */
  public void finish(HandlerLanes handler, WorkBatch last) {
    inLock(
        () -> {
          end(handler, last);
          handler.workerEnded();
        });
  }

  private void end(HandlerLanes handler, WorkBatch batch) {
    dispatcher.finish(handler, batch);
    wakeDueRows(handler);
  }

  private void wakeDueRows(HandlerLanes handler) {
    if (roomOf(handler) > 0 && handler.pollDueRowsWait()) {
      signals.deferredRowsChanged();
    }
  }

  /** A delivery found the handler's destination down; whether that is news. */
  public boolean destinationDown(HandlerLanes handler) {
    return locked(() -> handler.circuit().open(ticker.nanos()));
  }

  /** A probe got through: how long the destination was down; empty if it was not. */
  public Optional<Duration> destinationBack(HandlerLanes handler) {
    return locked(
        () -> {
          if (!handler.circuit().isOpen()) {
            return Optional.empty();
          }
          long open = handler.circuit().close(ticker.nanos());
          wakeDueRows(handler);
          return Optional.of(Duration.ofNanos(open));
        });
  }

  // --- settle

  /** Takes outcomes to be stored, in order. */
  public List<PendingSettlement> takeOutcomes(int max) {
    return locked(() -> outflow.take(max));
  }

  /** These outcomes were stored. */
  public void settled(List<PendingSettlement> stored) {
    inLock(
        () -> {
          for (PendingSettlement settlement : stored) {
            if (!settlement.partition().isGone()) {
              outflow.settled(settlement);
            }
          }
        });
  }

  /**
   * These outcomes can't be stored. Their rows stay as they are; ready ones are not read again by
   * this relay, deferred ones after a while.
   */
  public void abandoned(List<PendingSettlement> refused) {
    inLock(
        () -> {
          for (PendingSettlement settlement : refused) {
            if (!settlement.partition().isGone()) {
              outflow.abandoned(settlement, ticker.nanos() + ABANDONED.toNanos());
            }
          }
        });
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
    Set<Integer> numbers =
        names(pauses, FleetSurvey.Paused.PARTITION).stream()
            .filter(name -> name.matches("[0-9]{1,5}")) // what people write into tables
            .map(Integer::valueOf)
            .collect(Collectors.toSet());
    return locked(
        () -> {
          boolean resumed = partitions.pauseOnly(numbers);
          for (HandlerLanes handler : lanes.handlers()) {
            boolean pause = handlers.contains(handler.name());
            resumed |= handler.isPaused() && !pause;
            handler.pause(pause);
          }
          if (resumed) {
            signals.deferredRowsChanged();
          }
          return resumed;
        });
  }

  private static Set<String> names(Set<FleetSurvey.Pause> pauses, FleetSurvey.Paused kind) {
    return pauses.stream()
        .filter(pause -> pause.kind() == kind)
        .map(FleetSurvey.Pause::name)
        .collect(Collectors.toSet());
  }

  // --- what others ask

  /** Messages in memory, those being settled included. */
  public int inMemory() {
    return locked(window::messages);
  }

  /** Their payloads and headers. */
  public long bytesInMemory() {
    return locked(window::bytes);
  }

  /** Lanes of which something is in memory. */
  public int lanesInMemory() {
    return locked(lanes::size);
  }

  /** Whether reading is worth while again after the window was full. */
  public boolean isRoomy() {
    return locked(window::isRoomy);
  }

  /** Whether nothing more can be read for now. */
  public boolean isFull() {
    return locked(window::isFull);
  }

  /** What each handler is doing, by name. */
  public Map<String, RelayStatus.HandlerStatus> handlers() {
    return locked(
        () -> {
          Map<String, RelayStatus.HandlerStatus> statuses = new HashMap<>();
          lanes.handlers().forEach(handler -> statuses.put(handler.name(), handler.status()));
          return statuses;
        });
  }

  /** Lanes with deferred rows, as far as known. */
  public int blockedLanes() {
    return locked(() -> lanes.handlers().stream().mapToInt(HandlerLanes::blockedLanes).sum());
  }

  private void inLock(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
