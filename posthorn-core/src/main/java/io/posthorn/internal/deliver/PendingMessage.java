/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A ready row in memory, with the handlers that are not done with it. Guarded by the workload's
 * lock.
 */
final class PendingMessage {
  final Holding holding;
  final StoredMessage message;
  long since;
  private final List<Task> open = new ArrayList<>(1);
  private final List<Settlement.Leftover> leftovers = new ArrayList<>(0);
  private final List<Lane> movingLanes = new ArrayList<>(0);
  private final List<Backlog> movingBacklogs = new ArrayList<>(0);
  private List<String> kept = List.of();
  private int done;
  private boolean moved; // leftovers are in the table, or never will be

  PendingMessage(Holding holding, StoredMessage message, long since) {
    this.holding = holding;
    this.message = message;
    this.since = since;
  }

  void open(Task task) {
    open.add(task);
  }

  boolean isOpen(Task task) {
    return open.contains(task);
  }

  /**
   * Whether it came late: a later one of a lane is deferred, and would come first after a crash.
   */
  boolean standsBeforeDeferred() {
    for (Task task : open) {
      if (task.lane.standsBeforeDeferred(task)) {
        return true;
      }
    }
    return false;
  }

  List<Task> openTasks() {
    return List.copyOf(open);
  }

  /** A handler is done with it. */
  void done(Task task) {
    open.remove(task);
    done++;
  }

  /** The same, and it may go to the history of that handler. */
  void done(Task task, Fate.Delivered fate) {
    done(task);
    if (fate.kept()) {
      kept = kept.isEmpty() ? new ArrayList<>(1) : kept;
      kept.add(task.rowHandler);
    }
  }

  /** A handler will not be done with it here; the row is split when the others are. */
  void leaveOver(Task task, Fate fate) {
    open.remove(task);
    leaveOver(task.lane, fate);
  }

  /** As above, for a handler that never got a task. */
  void leaveOver(Lane lane, Fate fate) {
    leaveOver(lane.handler.name(), fate);
    if (fate instanceof Fate.Deferred) {
      lane.arrivals.begin();
      movingLanes.add(lane);
    }
  }

  /** As above, for one that joins a backlog. */
  void leaveOver(Backlog backlog, Fate fate) {
    leaveOver(backlog.handler.name(), fate);
    backlog.arrives(message);
    movingBacklogs.add(backlog);
  }

  /** A handler will not be done with it here; it joins a backlog. */
  void leaveOver(Task task, Backlog backlog, Fate fate) {
    open.remove(task);
    leaveOver(backlog, fate);
  }

  /**
   * A handler whose leftover is on its way to the table gives it up: it belongs to a backlog now.
   *
   * @return false if it is there already
   */
  boolean joins(Backlog backlog) {
    if (!moved) {
      backlog.arrives(message);
      movingBacklogs.add(backlog);
    }
    return !moved;
  }

  void leaveOver(String handler, Fate fate) {
    leftovers.add(new Settlement.Leftover(handler, fate));
  }

  /** Whether nothing is left over for anybody. */
  boolean whole() {
    return leftovers.isEmpty();
  }

  boolean complete() {
    return open.isEmpty();
  }

  /** Whether some handler is done with it while another is not. */
  boolean halfDone() {
    return done > 0 && !open.isEmpty();
  }

  /**
   * Whether some handler will be done with it elsewhere or later, while another may be done with it
   * here.
   */
  boolean torn() {
    return !leftovers.isEmpty() && !open.isEmpty();
  }

  /** Whether the row can be left as it is. */
  boolean untouched() {
    return done == 0;
  }

  /** By handler. */
  Map<String, Fate.Dead> deadLetters() {
    if (leftovers.isEmpty()) {
      return Map.of();
    }
    Map<String, Fate.Dead> dead = new HashMap<>();
    for (Settlement.Leftover leftover : leftovers) {
      if (leftover.fate() instanceof Fate.Dead fate) {
        dead.put(leftover.handler(), fate);
      }
    }
    return dead;
  }

  Settlement.Ready outcome() {
    List<Settlement.Leftover> left = leftovers.isEmpty() ? List.of() : leftovers; // no copy of none
    return new Settlement.Ready(message.partition(), message.seq(), left, kept);
  }

  /** Lanes whose leftover is now in the deferred table, or never will be. */
  List<Lane> endMoves() {
    moved = true;
    if (!movingLanes.isEmpty() || !movingBacklogs.isEmpty()) {
      movingLanes.forEach(lane -> lane.arrivals.end());
      movingBacklogs.forEach(backlog -> backlog.arrived(message));
    }
    return movingLanes;
  }
}
