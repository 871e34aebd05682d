/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Empties the memory of one partition before it is handed over. Tasks that were not started are
 * dropped, and their rows stay where they are; only a message that some handler is done with, or at
 * work on, is split, and with it the earlier ones of its key. Used within the workload's lock.
 */
final class Draining {
  private final Workload workload;
  private final Map<PendingMessage, List<Task>> notStarted = new HashMap<>();
  private final Map<String, Long> lastSplit = new HashMap<>(); // by key

  private Draining(Workload workload) {
    this.workload = workload;
  }

  /** Nothing more of this partition is started. */
  static void begin(Workload workload, Holding holding) {
    holding.state = Holding.State.DRAINING;
    List<Task> queued = new ArrayList<>();
    for (HandlerQueue handler : workload.lanes.handlers()) {
      for (Lane lane : workload.lanes.queuedLanes(handler)) {
        lane.queue.removeIf(task -> task.holding == holding && queued.add(task));
      }
      handler.ready.removeIf(lane -> lane.queue.isEmpty() && unlist(lane));
    }
    discard(workload, queued);
  }

  private static boolean unlist(Lane lane) {
    lane.listed = false;
    return true;
  }

  /** Drops tasks that were taken out of their lanes; all of a lane that were at once. */
  static void discard(Workload workload, List<Task> tasks) {
    Draining draining = new Draining(workload);
    tasks.forEach(draining::drop);
    draining.findSplit();
    draining.notStarted.keySet().stream()
        .sorted(Comparator.comparingLong(pending -> pending.message.seq()))
        .forEach(draining::leaveOrSplit);
  }

  private void drop(Task task) {
    task.lane.handler.inMemory--;
    PendingMessage pending = task.pending;
    if (pending == null) {
      task.lane.deferredInMemory--;
      workload.suspects.notDelivered(task);
      leave(task.holding, task.message);
    } else {
      notStarted.computeIfAbsent(pending, key -> new ArrayList<>(1)).add(task);
    }
  }

  private void findSplit() {
    notStarted.forEach(
        (pending, tasks) -> {
          String key = pending.message.envelope().key();
          if (key != null && isSplit(pending, tasks)) {
            lastSplit.merge(key, pending.message.seq(), Math::max);
          }
        });
  }

  private static boolean isSplit(PendingMessage pending, List<Task> tasks) {
    return !pending.untouched() || pending.openTasks().size() > tasks.size();
  }

  private void leaveOrSplit(PendingMessage pending) {
    List<Task> tasks = requireNonNull(notStarted.get(pending));
    String key = pending.message.envelope().key();
    boolean before = key != null && pending.message.seq() < lastSplit.getOrDefault(key, 0L);
    if (!before && !isSplit(pending, tasks)) {
      pending.endMoves();
      leave(pending.holding, pending.message);
      return;
    }
    tasks.forEach(task -> pending.leaveOver(task, LaneTable.HELD));
    if (pending.complete()) {
      workload.settle(pending);
    }
  }

  private void leave(Holding holding, StoredMessage message) {
    holding.items--;
    workload.window.remove(message);
  }
}
