/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Fate;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives workers what to deliver, and takes what came of it. What is public takes the memory's lock.
 */
public final class WorkDispatcher {
  /** How many messages of one lane a worker takes at once. */
  private static final int LANE_BATCH = 32;

  private final MemoryLock lock;
  private final Ticker ticker;
  private final RelayMemory.Signals signals;
  private final PartitionTable partitions;
  private final Window window;
  private final LaneTable lanes;
  private final Outflow outflow;
  private final CrashQuarantine quarantine;
  private final DueTimes dueTimes;

  WorkDispatcher(MemoryParts parts) {
    this.lock = parts.lock();
    this.ticker = parts.ticker();
    this.signals = parts.signals();
    this.partitions = parts.partitions();
    this.window = parts.window();
    this.lanes = parts.lanes();
    this.outflow = parts.outflow();
    this.quarantine = outflow.quarantine();
    this.dueTimes = parts.dueTimes();
  }

  // --- workers

  /** Counts a worker in for each batch that waits for one, as far as the handlers allow it. */
  public List<HandlerLanes> claimWorkers() {
    return lock.get(this::claimWithin);
  }

  private List<HandlerLanes> claimWithin() {
    List<HandlerLanes> claimed = new ArrayList<>(0);
    if (partitions.areAllPaused()) {
      return claimed;
    }
    long now = ticker.nanos();
    for (HandlerLanes handler : lanes.handlers()) {
      int more = Math.max(0, handler.missingWorkers(now));
      handler.workersStarted(more);
      for (int i = 0; i < more; i++) {
        claimed.add(handler);
      }
      if (handler.holdsWorkersBack(more, now)) {
        signals.workersHeldBack();
      }
    }
    return claimed;
  }

  /** Counts a worker out that could not be started. */
  public void workerNotStarted(HandlerLanes handler) {
    lock.run(handler::workerEnded);
  }

  /**
   * A worker hangs: another may stand in for it.
   *
   * @return whether so many hang now that no more are risked
   */
  public boolean workerLost(HandlerLanes handler) {
    return lock.get(
        () -> {
          handler.workerLost(ticker.nanos());
          if (handler.isStuck()) {
            quarantine.giveBack(handler);
          }
          return handler.isStuck();
        });
  }

  /** A worker that was given up has come back with its last batch. */
  public void workerBack(HandlerLanes handler, WorkBatch last) {
    lock.run(
        () -> {
          handler.workerBack();
          end(handler, last);
        });
  }

  // --- batches

  /**
   * Ends a worker's batch and gives it the next one.
   *
   * @param finished null at the first call
   * @return null if there is nothing to do; the worker has been counted out
   */
  public @Nullable WorkBatch nextBatch(HandlerLanes handler, @Nullable WorkBatch finished) {
    return lock.<@Nullable WorkBatch>get(
        () -> {
          if (finished != null) {
            end(handler, finished);
          }
          WorkBatch batch = partitions.areAllPaused() ? null : next(handler);
          if (batch == null) {
            handler.workerEnded();
          }
          return batch;
        });
  }

  /** Ends a worker's last batch and counts the worker out. */
  public void finish(HandlerLanes handler, WorkBatch last) {
    lock.run(
        () -> {
          end(handler, last);
          handler.workerEnded();
        });
  }

  /**
   * What came of an entry that was under way beyond the end of its batch.
   *
   * @param fate null: it counts as not begun
   * @param probe whether it was to find out whether the handler's destination is back
   */
  public record Ended(LaneEntry entry, @Nullable Fate fate, boolean probe) {}

  /** Entries have ended that were under way beyond the end of their batches. */
  public void ended(HandlerLanes handler, List<Ended> all) {
    lock.run(
        () -> {
          long now = ticker.nanos();
          int notBegun = 0;
          for (Ended one : all) {
            if (one.probe) {
              handler.circuit().probeEnds(now);
            }
            LaneEntry entry = one.entry;
            Fate fate = one.fate;
            window.sent(entry.claim(), -1);
            if (fate != null) {
              end(entry, fate, false);
            }
            entry.lane().rest();
            if (fate == null) {
              notBegun++;
              if (entry.partition().isDraining()) {
                Draining.discard(outflow, List.of(entry));
              } else {
                putBack(entry, false);
              }
            }
            lanes.settleDown(entry.lane());
          }
          handler.underWay(-all.size());
          handler.ended(0, 0, notBegun);
          wakeDueRows(handler);
        });
  }

  // --- circuits

  /** A delivery found the handler's destination down; whether that is news. */
  public boolean destinationDown(HandlerLanes handler) {
    return lock.get(() -> handler.circuit().open(ticker.nanos()));
  }

  /** A probe got through: how long the destination was down; empty if it was not. */
  public Optional<Duration> destinationBack(HandlerLanes handler) {
    return lock.get(
        () -> {
          if (!handler.circuit().isOpen()) {
            return Optional.empty();
          }
          long open = handler.circuit().close(ticker.nanos());
          wakeDueRows(handler);
          return Optional.of(Duration.ofNanos(open));
        });
  }

  /** The database is back: handlers that need it for their transactions are tried at once. */
  public void databaseBack() {
    lock.run(
        () ->
            lanes.handlers().stream()
                .filter(handler -> handler.spec().isTransactional())
                .forEach(handler -> handler.circuit().databaseBack(ticker.nanos())));
  }

  private void wakeDueRows(HandlerLanes handler) {
    if (lanes.roomOf(handler, ticker.nanos()) > 0 && handler.pollDueRowsWait()) {
      signals.deferredRowsChanged();
    }
  }

  // --- within the lock

  private @Nullable WorkBatch next(HandlerLanes handler) {
    boolean many = handler.spec().batchHandler().isPresent();
    long now = ticker.nanos();
    int most = Math.min(many ? handler.spec().batchSize() : LANE_BATCH, handler.mayDeliver(now));
    WorkBatch batch = new WorkBatch(handler.circuit().isOpen(), now);
    for (int left = handler.offeredCount();
        left > 0 && batch.size() < most && (many || batch.isEmpty());
        left--) {
      fill(batch, handler.nextOffered(), most, now);
    }
    if (batch.isEmpty()) {
      return null;
    }
    handler.taken(now, batch.size());
    if (batch.isProbe()) {
      handler.circuit().probeBegins();
    }
    return batch;
  }

  private void fill(WorkBatch batch, Lane lane, int most, long now) {
    LaneEntry head = lane.head();
    if (head == null || !head.deliverable()) {
      lane.withdraw(); // it waits for its row, and is offered when that is there
      lanes.settleDown(lane); // or its row was refused, and nothing of it is left
      return;
    }
    if (head.needsCare()) {
      if (quarantine.mayDeliver(lane, head)) {
        lane.take();
        batch.add(lane.removeHead());
      }
      return;
    }
    lane.take();
    if (lane.handler().spec().batchPerKey() == 1) {
      batch.add(lane.removeOnly(now));
      return;
    }
    int end = batch.size() + Math.min(most - batch.size(), lane.handler().spec().batchPerKey());
    while (batch.size() < end && head != null && head.deliverable() && !head.needsCare()) {
      batch.add(lane.removeHead());
      head = lane.head();
    }
  }

  private void end(HandlerLanes handler, WorkBatch batch) {
    long now = ticker.nanos();
    if (batch.isProbe() && batch.goingOn() == 0) {
      handler.circuit().probeEnds(now);
      signals.workWaits(); // the reader looks when the next one may go
    }
    for (int i = 0; i < batch.size(); i++) {
      Fate fate = batch.fate(i);
      if (fate != null) {
        end(batch.entry(i), fate, batch.isStored(i));
        if (batch.isRowGone(i)) {
          readAgainBehind(batch.entry(i));
        }
      } else if (batch.isGoingOn(i)) {
        window.sent(batch.entry(i).claim(), 1);
      }
    }
    int ended = batch.ended() + batch.goingOn();
    handler.ended(now - batch.begun(), ended, batch.size() - ended);
    handler.underWay(batch.goingOn());
    for (int i = 0; i < batch.size(); i++) {
      if (batch.endsLane(i)) {
        batch.entry(i).lane().rest();
      }
    }
    List<LaneEntry> draining = new ArrayList<>(0);
    for (int i = 0; i < batch.size(); i++) {
      LaneEntry entry = batch.entry(i);
      boolean comesAgain = batch.fate(i) == null && !batch.isGoingOn(i);
      if (comesAgain && entry.partition().isDraining()) {
        draining.add(entry);
      } else if (comesAgain) {
        putBack(entry, batch.hasFailed(entry.lane()));
      }
    }
    Draining.discard(outflow, draining);
    for (int i = 0; i < batch.size(); i++) {
      if (batch.endsLane(i)) {
        lanes.settleDown(batch.entry(i).lane());
      }
    }
    wakeDueRows(handler);
  }

  private void end(LaneEntry entry, Fate fate, boolean stored) {
    quarantine.ended(entry);
    if (entry.partition().isGone()) {
      return;
    }
    entry.lane().handler().left();
    if (stored) {
      outflow.settledWithDelivery(entry);
    } else {
      outflow.ended(entry, fate);
    }
    closeIfFailed(entry, fate);
  }

  /** Its row was not where the memory has it, so those behind it may not be there either. */
  private void readAgainBehind(LaneEntry entry) {
    if (!entry.partition().isGone()) {
      outflow.close(entry.lane(), entry.seq());
      signals.deferredRowsChanged();
    }
  }

  private void closeIfFailed(LaneEntry entry, Fate fate) {
    if (fate instanceof Fate.Deferred deferred) {
      Duration dueIn = requireNonNull(deferred.dueIn(), "dueIn");
      dueTimes.add(ticker.nanos() + dueIn.toNanos());
    }
    if (WorkBatch.holdsUp(fate)) {
      outflow.close(entry.lane(), entry.seq());
    }
  }

  /**
   * An entry that its batch did not come to goes on later, unless an earlier one of its lane now
   * stands before it in the table. One of which it is stored that it is delivered does not wait
   * here: its row becomes what it was, or whoever finds it takes it for the cause of a death.
   */
  private void putBack(LaneEntry entry, boolean laneFailed) {
    if (entry.partition().isGone()) {
      return;
    }
    if (laneFailed || standsBehindClosed(entry) || entry.isNoted()) {
      outflow.giveBack(entry, Outflow.HELD);
      outflow.close(entry.lane(), entry.seq()); // those behind it do not overtake it
    } else {
      entry.lane().insert(entry);
    }
  }

  private static boolean standsBehindClosed(LaneEntry entry) {
    Lane lane = entry.lane();
    return lane.holds() && lane.isClosedFor(entry.seq());
  }
}
