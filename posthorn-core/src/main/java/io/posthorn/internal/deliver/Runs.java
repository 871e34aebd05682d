/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.ArrayList;
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
          for (HandlerQueue handler : workload.lanes.handlers()) {
            for (int lanesWaiting = handler.ready.size();
                lanesWaiting > 0 && !workload.paused && handler.wantsWorker();
                lanesWaiting--) {
              handler.workers++;
              claimed.add(handler);
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
   * Ends a worker's run and gives it the next one.
   *
   * @param finished null at the first call
   * @return null if there is nothing to do; the worker has been counted out
   */
  @Nullable Run next(HandlerQueue handler, @Nullable Run finished) {
    workload.lock.lock();
    try {
      if (finished != null) {
        finish(finished);
      }
      Run run = workload.paused || handler.paused ? null : nextRun(handler);
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
          finish(last);
          handler.workers--;
        });
  }

  private @Nullable Run nextRun(HandlerQueue handler) {
    int most = handler.spec.batchHandler().isPresent() ? handler.spec.batchSize() : RUN_LENGTH;
    boolean severalLanes = handler.spec.batchHandler().isPresent();
    Run run = new Run();
    while (run.size() < most && !handler.ready.isEmpty() && (severalLanes || run.isEmpty())) {
      Lane lane = handler.ready.remove();
      lane.listed = false;
      while (run.size() < most && !lane.queue.isEmpty()) {
        run.add(lane.queue.remove());
      }
      lane.running = true;
    }
    return run.isEmpty() ? null : run;
  }

  private void finish(Run run) {
    run.forEachStarted(this::apply);
    run.lanes().forEach(lane -> lane.running = false);
    run.notStarted().forEach(task -> putBack(task, run.failed(task.lane)));
    run.lanes().forEach(workload.lanes::settleDown);
  }

  private void apply(Task task, Fate fate) {
    if (task.holding.state == Holding.State.GONE) {
      return;
    }
    task.lane.handler.inMemory--;
    PendingMessage pending = task.pending;
    if (pending == null) {
      applyDeferred(task, fate);
    } else if (fate instanceof Fate.Delivered) {
      pending.done(task);
      if (pending.complete()) {
        workload.addOutcome(new Outcome.OfReady(pending));
      }
    } else {
      pending.leaveOver(task, fate);
      workload.leftOver(pending);
    }
    if (fate instanceof Fate.Deferred deferred) {
      Duration dueIn = requireNonNull(deferred.dueIn(), "dueIn");
      task.lane.notBefore = workload.ticker.nanos() + dueIn.toNanos();
      if (!task.lane.keyed) {
        workload.dueTimes.add(task.lane.notBefore);
      }
      workload.lanes.block(task.lane);
    }
  }

  private void applyDeferred(Task task, Fate fate) {
    workload.addOutcome(
        new Outcome.OfDeferred(task.holding, task.message, task.rowHandler, task.lane, fate));
  }

  /**
   * A task that its run did not come to goes on later, unless an earlier one of its lane now stands
   * before it.
   */
  private void putBack(Task task, boolean laneFailed) {
    switch (task.holding.state) {
      case GONE -> {}
      case DRAINING -> new Draining(workload, task.holding).discard(List.of(task));
      default -> {
        if (laneFailed || (task.lane.blocked && task.pending != null)) {
          workload.lanes.giveBack(task);
        } else {
          task.lane.insert(task);
        }
      }
    }
  }
}
