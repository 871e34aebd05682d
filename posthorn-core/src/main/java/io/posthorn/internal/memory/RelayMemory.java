/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.internal.memory.HandlerLanes.WorkTime;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All that a relay has in memory: partitions it holds, messages on their way to handlers, outcomes
 * on their way to the store. One lock guards it. The verbs of the reader and the workers are with
 * the intakes and the dispatcher, those of the lease and the settler here and with the partitions.
 *
 * <p>A message that was read is in exactly one place: queued or under way in a lane for each
 * handler that is not done, or among the outcomes. It leaves the window when its outcome has been
 * stored.
 */
public final class RelayMemory {
  /**
   * What the duties want to hear of. Called within the lock, but for the last, so they only nudge.
   */
  public interface Signals {
    /** There is something to settle. */
    void outcomeWaits();

    /** Lanes have something to deliver. */
    void workWaits();

    /** Deferred rows have come or gone: others may be due. */
    void deferredRowsChanged();

    /** Lanes wait although there could be more workers: see soon whether those at work go on. */
    void workersHeldBack();

    /** Something was thrown within: what is in memory does not count any more. */
    void memoryBroken();
  }

  /** How long a deferred row rests whose outcome was refused. */
  private static final Duration ABANDONED = Duration.ofMinutes(1);

  private final MemoryLock lock;
  private final Ticker ticker;
  private final Signals signals;
  private final PartitionTable partitions;
  private final LaneTable lanes;
  private final Window window;
  private final Outflow outflow;
  private final DueTimes dueTimes;
  private final ReadyIntake readyIntake;
  private final DueIntake dueIntake;
  private final WorkDispatcher dispatcher;

  /**
   * @param specs typed ones first
   */
  public RelayMemory(
      RelayOptions options, Ticker ticker, List<HandlerSpec<?>> specs, Signals signals) {
    MemoryParts parts = MemoryParts.of(options, ticker, specs, signals);
    this.lock = parts.lock();
    this.ticker = ticker;
    this.signals = signals;
    this.partitions = parts.partitions();
    this.lanes = parts.lanes();
    this.window = parts.window();
    this.outflow = parts.outflow();
    this.dueTimes = parts.dueTimes();
    this.readyIntake = new ReadyIntake(parts, options.lateAfter());
    this.dueIntake = new DueIntake(parts);
    this.dispatcher = new WorkDispatcher(parts);
  }

  /** The partitions that are held, and how far they have been read. */
  public PartitionTable partitions() {
    return partitions;
  }

  /** For reads of ready rows. */
  public ReadyIntake readyIntake() {
    return readyIntake;
  }

  /** For reads of deferred rows. */
  public DueIntake dueIntake() {
    return dueIntake;
  }

  /** For workers. */
  public WorkDispatcher dispatcher() {
    return dispatcher;
  }

  // --- lease

  /** Starts nothing more of these partitions; what was not started stays in the tables. */
  public void drain(Collection<Integer> numbers) {
    lock.run(() -> drainWithin(numbers));
  }

  private void drainWithin(Collection<Integer> numbers) {
    for (HeldPartition partition : partitions.find(numbers)) {
      if (!partition.isDraining()) {
        Draining.begin(lanes, outflow, partition);
      }
    }
    partitions.noteKept();
  }

  /**
   * The database may have lost commits: rows in memory may not exist any more, and others have
   * their seqs. All partitions are drained, to be taken and read anew.
   *
   * @param floors those that are stored, by partition; reads of others begin at 0
   */
  public void startOver(Map<Integer, Long> floors) {
    lock.run(
        () -> {
          partitions.forgetHistory(floors);
          drainWithin(partitions.kept());
        });
  }

  /** These partitions were given up. */
  public void released(Collection<Integer> numbers) {
    lock.run(
        () -> {
          for (int number : numbers) {
            if (partitions.remove(number)) {
              lanes.dropPartition(number);
            }
          }
        });
  }

  /** The relay lost all its partitions: nothing in memory counts any more. */
  public void expelled() {
    lock.run(
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

  // --- settle

  /** Takes outcomes to be stored, in order. */
  public List<PendingSettlement> takeOutcomes(int max) {
    return lock.get(() -> outflow.take(max));
  }

  /** These outcomes were stored. */
  public void settled(List<PendingSettlement> stored) {
    lock.run(
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
    lock.run(
        () -> {
          for (PendingSettlement settlement : refused) {
            if (!settlement.partition().isGone()) {
              outflow.abandoned(settlement, ticker.nanos() + ABANDONED.toNanos());
            }
          }
        });
  }

  // --- operators

  /** Stops or lets go on all deliveries and reads. */
  public void pause(boolean pause) {
    lock.run(() -> partitions.pauseAll(pause));
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
    return lock.get(
        () -> {
          boolean resumed = partitions.pauseOnly(numbers);
          for (HandlerLanes handler : lanes.handlers()) {
            boolean pause = handlers.contains(handler.name());
            resumed |= handler.isPaused() && !pause;
            handler.pause(pause);
            if (pause) {
              outflow.quarantine().giveBack(handler);
            }
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

  /** Whether no message is in memory, those being settled included. */
  public boolean isEmpty() {
    return lock.get(() -> window.messages() == 0);
  }

  /** How long until something noted in memory falls due. */
  public Duration nextIn(Duration otherwise) {
    return lock.get(
        () -> {
          long now = ticker.nanos();
          long next = dueTimes.nanosUntilNext(now, otherwise.toNanos());
          for (HandlerLanes handler : lanes.handlers()) {
            next = handler.nanosUntilDelivery(now, next);
          }
          return Duration.ofNanos(next);
        });
  }

  /**
   * What the relay is doing.
   *
   * @param about what is not in memory
   * @param throughput of a handler, by its name
   */
  public RelayStatus status(About about, Function<String, Throughput> throughput) {
    return lock.get(
        () -> {
          Map<String, RelayStatus.HandlerStatus> handlers = new HashMap<>();
          for (HandlerLanes handler : lanes.handlers()) {
            handlers.put(handler.name(), handler.status(throughput.apply(handler.name())));
          }
          return new RelayStatus(
              about.name,
              about.program,
              about.leaseValid,
              partitions.epochs(),
              window.messages(),
              window.bytes(),
              lanes.size(),
              lanes.handlers().stream().mapToInt(HandlerLanes::blockedLanes).sum(),
              handlers,
              about.counts);
        });
  }

  /** What a status has that others know. */
  public record About(
      String name, RelayStatus.Program program, boolean leaseValid, RelayStatus.Counts counts) {}

  /** How long the deliveries of each handler have kept workers so far. */
  public Map<String, WorkTime> workTimes() {
    return lock.get(
        () ->
            lanes.handlers().stream()
                .collect(Collectors.toMap(HandlerLanes::name, HandlerLanes::workTime)));
  }
}
