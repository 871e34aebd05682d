/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.List;

/** What the verbs of the memory work on. All of it is guarded by the lock. */
record MemoryParts(
    MemoryLock lock,
    Ticker ticker,
    RelayMemory.Signals signals,
    PartitionTable partitions,
    LaneTable lanes,
    Window window,
    Outflow outflow,
    DueTimes dueTimes) {
  /**
   * @param specs typed ones first
   */
  static MemoryParts of(
      RelayOptions options,
      Ticker ticker,
      List<HandlerSpec<?>> specs,
      RelayMemory.Signals signals) {
    MemoryLock lock = new MemoryLock(signals::memoryBroken);
    List<HandlerLanes> handlers = new ArrayList<>(specs.size());
    for (HandlerSpec<?> spec : specs) {
      handlers.add(
          new HandlerLanes(spec, options.workers(), options.probeInterval(), ticker.nanos()));
    }
    Window window = new Window(options.windowMessages(), options.windowBytes());
    PartitionTable partitions = new PartitionTable(lock, ticker, options);
    LaneTable lanes = new LaneTable(handlers, partitions, window);
    Outflow outflow = new Outflow(lanes, window, options.crashAttempts(), signals);
    return new MemoryParts(
        lock, ticker, signals, partitions, lanes, window, outflow, new DueTimes());
  }
}
