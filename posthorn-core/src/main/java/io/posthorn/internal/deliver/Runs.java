/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives workers what to deliver, and takes what came of it. Each method holds the workload's lock.
 */
final class Runs {
  /** How many messages of one lane a worker takes at once. */
  private static final int RUN_LENGTH = 32;

  private final Workload workload;

  Runs(Workload workload) {
    this.workload = workload;
  }

  /** Counts a worker in for each lane that waits for one, as far as the handlers allow it. */
  List<HandlerQueue> claimWorkers() {
    return workload.locked(
        () -> {
          List<HandlerQueue> claimed = new ArrayList<>();
          long now = workload.ticker.nanos();
          for (HandlerQueue handler : workload.lanes.handlers()) {
            int more = workload.paused ? 0 : Math.max(0, handler.missingWorkers(now));
            handler.workers += more;
            claimed.addAll(Collections.nCopies(more, handler));
            if (!workload.paused && handler.holdsWorkersBack(more, now)) {
              workload.signals.workersHeldBack();
            }
          }
          return claimed;
        });
  }

  /** Counts a worker out that could not be started. */
  void workerNotStarted(HandlerQueue handler) {
    workload.inLock(() -> handler.workers--);
  }

  /**
   * A worker hangs: another may stand in for it.
   *
   * @return whether so many hang now that no more are risked
   */
  boolean workerLost(HandlerQueue handler) {
    return workload.locked(
        () -> {
          handler.workers--;
          handler.lost++;
          return handler.stuck();
        });
  }

  /** A worker that was given up has come back with its last run. */
  void workerBack(HandlerQueue handler, Run last) {
    workload.inLock(
        () -> {
          handler.lost--;
          finish(handler, last);
        });
  }

  /**
   * Ends a worker's run and gives it the next one.
   *
   * @param finished null at the first call
   * @return null if there is nothing to do; the worker has been counted out
   */
  @Nullable Run next(HandlerQueue handler, @Nullable Run finished) {
    workload.lock.lock();
    try {
      if (finished != null) {
        finish(handler, finished);
      }
      Run run = workload.paused ? null : nextRun(handler);
      if (run == null) {
        handler.workers--;
      }
      return run;
    } finally {
      workload.lock.unlock();
    }
  }

  /** Ends a worker's last run and counts the worker out. */
  void leave(HandlerQueue handler, Run last) {
    workload.inLock(
        () -> {
          finish(handler, last);
          handler.workers--;
        });
  }

  private @Nullable Run nextRun(HandlerQueue handler) {
    boolean batch = handler.spec.batchHandler().isPresent();
    long now = workload.ticker.nanos();
    int allowed = handler.mayDeliver(now);
    int most = Math.min(batch ? handler.spec.batchSize() : RUN_LENGTH, allowed);
    Run run = new Run(handler.circuit.isOpen(), now);
    for (int lanesLeft = handler.ready.size();
        lanesLeft > 0 && run.size() < most && (batch || run.isEmpty());
        lanesLeft--) {
      fill(run, handler.ready.remove(), most);
    }
    if (run.isEmpty()) {
      return null;
    }
    handler.taken(now);
    if (run.isProbe()) {
      handler.circuit.probeBegins();
    }
    if (handler.rate != null) {
      handler.rate.taken(run.size());
    }
    return run;
  }

  private void fill(Run run, Lane lane, int most) {
    lane.listed = false;
    Task head = lane.queue.peek();
    if (head != null && head.needsCare()) {
      if (workload.suspects.mayDeliver(lane, head)) {
        take(run, lane);
      }
      return;
    }
    int end = run.size() + Math.min(most - run.size(), lane.handler.spec.batchPerKey());
    while (run.size() < end && !lane.queue.isEmpty() && !lane.queue.element().needsCare()) {
      take(run, lane);
    }
  }

  private static void take(Run run, Lane lane) {
    Task task = lane.queue.remove();
    run.add(task);
    lane.underWay.add(task);
    lane.running = true;
  }

  private void finish(HandlerQueue handler, Run run) {
    if (run.isProbe()) {
      handler.circuit.probeEnds(workload.ticker.nanos());
    }
    run.forEachResult(this::apply);
    List<Task> notStarted = run.notStarted();
    handler.took(workload.ticker.nanos() - run.begun(), run.size() - notStarted.size());
    if (handler.rate != null) {
      handler.rate.givenBack(notStarted.size());
    }
    for (Lane lane : run.lanes()) {
      lane.running = false;
      lane.underWay.clear();
    }
    List<Task> draining = new ArrayList<>(0);
    for (Task task : notStarted) {
      if (task.holding.state == Holding.State.DRAINING) {
        draining.add(task);
      } else {
        putBack(task, run.failed(task.lane));
      }
    }
    Draining.discard(workload, draining);
    run.lanes().forEach(workload.lanes::settleDown);
  }

  private void apply(Run.Result result) {
    Task task = result.task();
    workload.suspects.ended(task);
    if (task.holding.state == Holding.State.GONE) {
      return;
    }
    task.lane.handler.inMemory--;
    if (result.stored()) {
      workload.settledWithDelivery(task);
    } else if (task.pending == null) {
      workload.addOutcome(
          new Outcome.OfDeferred(
              task.holding, task.message, task.rowHandler, task.lane, result.fate()));
    } else {
      applyReady(task, task.pending, result.fate());
    }
    blockIfFailed(task.lane, result.fate());
  }

  private void applyReady(Task task, PendingMessage pending, Fate fate) {
    if (fate instanceof Fate.Delivered delivered) {
      pending.done(task, delivered);
      if (pending.complete()) {
        workload.settle(pending);
      }
    } else {
      pending.leaveOver(task, fate);
      workload.leftOver(pending);
    }
  }

  private void blockIfFailed(Lane lane, Fate fate) {
    long now = workload.ticker.nanos();
    if (fate instanceof Fate.Deferred deferred) {
      Duration dueIn = requireNonNull(deferred.dueIn(), "dueIn");
      lane.notBefore = now + Workload.untilCheck(dueIn);
      if (!lane.holds) {
        workload.dueTimes.add(now + dueIn.toNanos());
      }
      workload.lanes.block(lane);
    } else if (fate instanceof Fate.Dead dead && dead.blocksLane()) {
      lane.notBefore = now;
      workload.lanes.block(lane);
    }
  }

  /**
   * A task that its run did not come to goes on later, unless an earlier one of its lane now stands
   * before it.
   */
  private void putBack(Task task, boolean laneFailed) {
    if (task.holding.state == Holding.State.GONE) {
      workload.suspects.ended(task);
    } else if (laneFailed || (task.lane.blocked && task.pending != null)) {
      workload.lanes.giveBack(task);
    } else {
      workload.suspects.ended(task);
      task.lane.insert(task);
    }
  }
}
