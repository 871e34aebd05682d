/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Empties the memory of one partition before it is handed over. Tasks that were not started are
 * dropped, and their rows stay where they are; only a message that some handler is done with, or at
 * work on, is split. Used within the workload's lock.
 */
final class Draining {
  private static final Fate HELD = new Fate.Deferred(DeferReason.HELD, 0, null, null);

  private final Workload workload;
  private final Holding holding;

  Draining(Workload workload, Holding holding) {
    this.workload = workload;
    this.holding = holding;
  }

  void begin() {
    holding.state = Holding.State.DRAINING;
    List<Task> notStarted = new ArrayList<>();
    for (HandlerQueue handler : workload.lanes.handlers()) {
      for (Lane lane : workload.lanes.queuedLanes(handler)) {
        lane.queue.removeIf(task -> task.holding == holding && notStarted.add(task));
      }
      handler.ready.removeIf(lane -> lane.queue.isEmpty() && unlist(lane));
    }
    discard(notStarted);
  }

  private static boolean unlist(Lane lane) {
    lane.listed = false;
    return true;
  }

  /** Drops tasks that were taken out of their lanes. */
  void discard(List<Task> tasks) {
    IdentityHashMap<PendingMessage, List<Task>> byMessage = new IdentityHashMap<>();
    for (Task task : tasks) {
      task.lane.handler.inMemory--;
      PendingMessage pending = task.pending;
      if (pending == null) {
        task.lane.deferredInMemory--;
        leave(task);
      } else {
        byMessage.computeIfAbsent(pending, key -> new ArrayList<>()).add(task);
      }
    }
    byMessage.forEach(this::leaveOrSplit);
  }

  private void leaveOrSplit(PendingMessage pending, List<Task> notStarted) {
    if (pending.untouched() && pending.openTasks().size() == notStarted.size()) {
      pending.endMoves();
      holding.items--;
      workload.window.remove(pending.message);
      return;
    }
    notStarted.forEach(task -> pending.leaveOver(task, HELD));
    if (pending.complete()) {
      workload.addOutcome(new Outcome.OfReady(pending));
    }
  }

  private void leave(Task task) {
    workload.suspects.notDelivered(task);
    holding.items--;
    workload.window.remove(task.message);
  }
}
