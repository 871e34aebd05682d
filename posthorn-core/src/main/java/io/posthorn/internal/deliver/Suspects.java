/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages that may kill the process: one at a time in the whole relay, and only after
 * its attempt has been stored. A message that is found with as many attempts as are allowed has had
 * its last one. Guarded by the workload's lock.
 */
final class Suspects {
  private final Workload workload;
  private @Nullable Task current;
  private boolean recording;

  Suspects(Workload workload) {
    this.workload = workload;
  }

  /**
   * The head of a lane needs care: what is to be done with it?
   *
   * @return whether it may be delivered now
   */
  boolean mayDeliver(Lane lane, Task head) {
    if (current == head && !recording) {
      return true;
    }
    if (current != null) {
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
    current = head;
    recording = true;
    lane.running = true;
    head.holding.items++;
    Fate suspect =
        new Fate.Deferred(
            DeferReason.SUSPECT,
            head.attempts + 1,
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

  /** The attempt is in the table. */
  void recorded(Task task) {
    if (current != task) {
      return;
    }
    Lane lane = task.lane;
    recording = false;
    lane.running = false;
    task.recorded = true;
    if (lane.queue.peek() != task) { // its partition is being given up
      current = null;
    }
    workload.lanes.settleDown(lane);
    workload.signals.laneWaits();
  }

  /** A delivery has ended, or will not be made. */
  void ended(Task task) {
    if (current == task) {
      current = null;
    }
  }

  /** The relay has lost everything. */
  void forget() {
    if (current != null && recording) {
      current.lane.running = false;
    }
    current = null;
    recording = false;
  }
}
