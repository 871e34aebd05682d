/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.List;

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
  private final List<Lane> moving = new ArrayList<>(0);
  private int done;

  PendingMessage(Holding holding, StoredMessage message, long since) {
    this.holding = holding;
    this.message = message;
    this.since = since;
  }

  void open(Task task) {
    open.add(task);
  }

  List<Task> openTasks() {
    return List.copyOf(open);
  }

  /** A handler is done with it. */
  void done(Task task) {
    open.remove(task);
    done++;
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
      lane.moving++;
      moving.add(lane);
    }
  }

  void leaveOver(String handler, Fate fate) {
    leftovers.add(new Settlement.Leftover(handler, fate));
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

  Settlement.Ready outcome() {
    return new Settlement.Ready(message.partition(), message.seq(), leftovers);
  }

  /** Lanes whose leftover is now in the deferred table, or never will be. */
  List<Lane> endMoves() {
    for (Lane lane : moving) {
      lane.moving--;
      lane.arrived = true;
    }
    return moving;
  }
}
