/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Empties the memory of one partition before it is handed over. Entries that were not started are
 * dropped, and their rows stay where they are; only a message that some handler is done with, or at
 * work on, is split. Used within the memory's lock.
 */
final class Draining {
  private Draining() {}

  /** Nothing more of this partition is started. */
  static void begin(LaneTable lanes, Outflow outflow, HeldPartition partition) {
    partition.drain();
    List<LaneEntry> queued = new ArrayList<>();
    for (HandlerLanes handler : lanes.handlers()) {
      for (Lane lane : lanes.withQueued(handler)) {
        if (lane.id().partition() == partition.partition()) {
          queued.addAll(lane.removeQueued(0));
        } else {
          lanes.offer(lane);
        }
      }
    }
    discard(outflow, queued);
  }

  /** Drops entries that were taken out of their lanes. */
  static void discard(Outflow outflow, List<LaneEntry> entries) {
    Map<PendingMessage, List<LaneEntry>> byMessage = new LinkedHashMap<>();
    for (LaneEntry entry : entries) {
      entry.lane().handler().left();
      PendingMessage ready = entry.ready();
      if (ready == null) {
        outflow.dropDeferred(entry);
      } else {
        byMessage.computeIfAbsent(ready, any -> new ArrayList<>(1)).add(entry);
      }
    }
    byMessage.forEach((message, left) -> leaveOrSplit(outflow, message, left));
  }

  private static void leaveOrSplit(
      Outflow outflow, PendingMessage message, List<LaneEntry> notStarted) {
    if (!message.isTouched() && message.openCount() == notStarted.size()) {
      outflow.dropReady(message);
      return;
    }
    notStarted.forEach(entry -> message.leaveOver(entry, Outflow.held(entry.lane())));
    outflow.split(message);
  }
}
