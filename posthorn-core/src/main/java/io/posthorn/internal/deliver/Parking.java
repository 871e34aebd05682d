/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import java.util.List;

/**
 * Keeps a handler that is slow or paused from taking the window, or a message, from the others:
 * what it has not come to waits in the deferred table, and comes back in order when it has room.
 */
public final class Parking {
  private final Workload workload;
  private long fullSince; // reader thread only
  private boolean full; // reader thread only

  public Parking(Workload workload) {
    this.workload = workload;
  }

  /** Makes room, if that is due. Called by the reader at each pass. */
  public void runOnce() {
    long now = workload.ticker.nanos();
    workload.inLock(
        () -> {
          splitLateMessages(now);
          boolean wasFull = full;
          full = workload.noRoom();
          fullSince = full && wasFull ? fullSince : now;
          if (full) {
            parkGreedyHandlers(now - fullSince >= lateNanos());
          }
        });
  }

  private long lateNanos() {
    return workload.options.lateAfter().toNanos();
  }

  /** Messages that some handlers are done with no longer wait for the others. */
  private void splitLateMessages(long now) {
    while (!workload.shared.isEmpty()) {
      PendingMessage oldest = workload.shared.getFirst();
      if (!oldest.complete() && now - oldest.since < lateNanos()) {
        return;
      }
      workload.shared.removeFirst();
      if (oldest.halfDone()) {
        workload.leftOver(oldest);
      } else if (!oldest.complete()) {
        stillWhole(oldest, now);
      }
    }
  }

  /**
   * No handler is done with it yet: nothing would be gained. It is looked at again after the same
   * time.
   */
  private void stillWhole(PendingMessage pending, long now) {
    pending.since = now;
    workload.shared.addLast(pending);
  }

  /**
   * Reading has stopped: whoever keeps more than its share from handlers that have nothing to do
   * gives it up.
   */
  private void parkGreedyHandlers(boolean late) {
    List<HandlerQueue> all = List.copyOf(workload.lanes.handlers());
    int share = Math.max(1, workload.window.maxMessages() / all.size());
    boolean somebodyIdle =
        all.stream().anyMatch(handler -> !handler.closed() && handler.inMemory == 0);
    if (!somebodyIdle) {
      return;
    }
    for (HandlerQueue handler : all) {
      if (handler.inMemory >= share && (late || handler.closed())) {
        workload.lanes.park(
            handler, holding -> holding.openBacklog(handler, workload.ticker.nanos()));
      }
    }
  }
}
