/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.LaneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * One handler and one key in memory, or one message without a key. While it is blocked its messages
 * wait in the deferred table, and later ones join them there. Guarded by the workload's lock.
 */
final class Lane {
  final HandlerQueue handler;
  final LaneId id;
  final boolean holds;
  final Deque<Task> queue = new ArrayDeque<>(2);
  final List<Task> underWay = new ArrayList<>(0); // of the run that has it
  final Arrivals arrivals = new Arrivals();
  boolean running;
  boolean listed;
  boolean blocked;
  boolean checkPlanned;
  int deferredInMemory; // rows of the deferred table that are queued, running or being settled
  long notBefore = Long.MIN_VALUE / 2; // ticker time of the next look at the deferred table

  /**
   * @param holds whether a failed message holds up later ones; false for the lane of a single
   *     message without a key
   */
  Lane(HandlerQueue handler, LaneId id, boolean holds) {
    this.handler = handler;
    this.id = id;
    this.holds = holds;
  }

  /**
   * Adds a task behind those with a lower seq; a row that became visible late goes before later
   * ones.
   */
  void insert(Task task) {
    Task last = queue.peekLast();
    if (last == null || last.message.seq() < task.message.seq()) {
      queue.addLast(task);
      return;
    }
    List<Task> later = new ArrayList<>();
    while (!queue.isEmpty() && queue.getLast().message.seq() > task.message.seq()) {
      later.add(queue.removeLast());
    }
    queue.addLast(task);
    for (int i = later.size() - 1; i >= 0; i--) {
      queue.addLast(later.get(i));
    }
  }

  /** Ready rows that stand before this seq, back to the first that is deferred. */
  List<PendingMessage> readyBefore(long seq) {
    List<PendingMessage> found = new ArrayList<>();
    Iterator<Task> queued = queue.descendingIterator();
    while (queued.hasNext()) {
      if (!addReady(queued.next(), seq, found)) {
        return found;
      }
    }
    for (int i = underWay.size() - 1; i >= 0; i--) {
      if (!addReady(underWay.get(i), seq, found)) {
        return found;
      }
    }
    return found;
  }

  private static boolean addReady(Task task, long seq, List<PendingMessage> found) {
    PendingMessage pending = task.pending;
    if (pending != null && pending.isOpen(task) && task.message.seq() < seq) {
      found.add(pending);
    }
    return pending != null || task.message.seq() >= seq;
  }

  /** Whether the next one behind a queued task is deferred. */
  boolean standsBeforeDeferred(Task task) {
    Task behind = null;
    Iterator<Task> queued = queue.descendingIterator();
    while (queued.hasNext()) {
      Task next = queued.next();
      if (next == task) {
        return behind != null && behind.pending == null;
      }
      behind = next;
    }
    return false;
  }

  /** Whether it is time to see what waits in the deferred table. */
  boolean wantsCheck() {
    return blocked
        && !running
        && !checkPlanned
        && queue.isEmpty()
        && !arrivals.moving()
        && deferredInMemory == 0;
  }

  /** Whether nothing needs to be remembered about it. */
  boolean idle() {
    return !running && !blocked && queue.isEmpty() && !arrivals.moving() && deferredInMemory == 0;
  }
}
