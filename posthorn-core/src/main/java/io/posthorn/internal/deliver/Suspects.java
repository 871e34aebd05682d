/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages that may kill the process, each only after that has been stored.
 *
 * <p>Where the owners of a partition died again and again, all of its messages are watched, many at
 * a time. One that a later owner finds so was under way when its process ended: it is a suspect,
 * and is handed over alone in the whole relay, with its attempts counted. If it is found with as
 * many as are allowed, it has had its last one. Guarded by the workload's lock.
 */
final class Suspects {
  /** So many may be found by the next owner, who hands them over one by one. */
  private static final int WATCHED_AT_ONCE = 64;

  private final Workload workload;
  private final Set<Task> noted = Collections.newSetFromMap(new IdentityHashMap<>());
  private @Nullable Task alone;

  Suspects(Workload workload) {
    this.workload = workload;
  }

  /**
   * The head of a lane needs care: what is to be done with it?
   *
   * @return whether it may be delivered now
   */
  boolean mayDeliver(Lane lane, Task head) {
    if (noted.contains(head)) {
      return true; // while this is being stored, its lane is not offered
    }
    if (alone != null || (!head.suspect && noted.size() >= WATCHED_AT_ONCE)) {
      lane.listed = true;
      lane.handler.ready.addLast(lane);
    } else if (head.suspect && head.attempts >= workload.options.crashAttempts()) {
      bury(lane, head);
    } else {
      record(lane, head);
    }
    return false;
  }

  private void record(Lane lane, Task head) {
    noted.add(head);
    if (head.suspect) {
      alone = head;
    }
    head.recording = true;
    lane.running = true;
    head.holding.items++;
    Fate suspect =
        new Fate.Deferred(
            DeferReason.SUSPECT,
            head.suspect ? head.attempts + 1 : 0, // failures are no deaths
            Duration.ZERO,
            head.lastError,
            !head.lane.holds);
    workload.addOutcome(new Outcome.OfSuspect(head, suspect));
  }

  private void bury(Lane lane, Task head) {
    lane.queue.remove();
    lane.handler.inMemory--;
    String error =
        "the process ended while handler \"%s\" was at work on this message, %d times"
            .formatted(lane.handler.name(), head.attempts);
    boolean blocks = Verdicts.blocksLane(lane.handler.spec);
    workload.addOutcome(
        new Outcome.OfDeferred(
            head.holding,
            head.message,
            head.rowHandler,
            lane,
            new Fate.Dead(head.attempts, error, blocks)));
    if (blocks) {
      workload.lanes.block(lane);
    }
    workload.lanes.list(lane);
  }

  /** It is in the table. */
  void recorded(Task task) {
    if (!task.recording) {
      return; // forgotten
    }
    Lane lane = task.lane;
    task.recording = false;
    lane.running = false;
    if (lane.queue.peek() != task) { // its partition is being given up
      notDelivered(task);
    }
    workload.lanes.settleDown(lane);
    workload.signals.laneWaits();
  }

  /**
   * It leaves the memory undelivered. If it was noted, its row becomes what it was: whoever finds
   * it next would take it for the cause of a death.
   */
  void notDelivered(Task task) {
    if (!task.recording && noted.contains(task)) {
      ended(task);
      task.holding.items++;
      workload.addOutcome(new Outcome.OfSuspect(task, asItWas(task)));
    }
  }

  private static Fate asItWas(Task task) {
    DeferReason reason = task.attempts > 0 ? DeferReason.RETRYING : DeferReason.HELD;
    return new Fate.Deferred(
        task.suspect ? DeferReason.SUSPECT : reason,
        task.attempts,
        Duration.ZERO,
        task.lastError,
        !task.lane.holds);
  }

  /** A delivery has ended, or will be made later. */
  void ended(Task task) {
    if (!task.recording && noted.remove(task)) {
      if (alone == task) {
        alone = null;
      }
      workload.signals.laneWaits();
    }
  }

  /** The relay has lost everything. */
  void forget() {
    for (Task task : noted) {
      if (task.recording) {
        task.recording = false;
        task.lane.running = false;
      }
    }
    noted.clear();
    alone = null;
  }
}
