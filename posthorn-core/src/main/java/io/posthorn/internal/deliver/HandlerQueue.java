/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;

/**
 * A handler with its lanes that have something to deliver. All but the final fields are guarded by
 * the workload's lock.
 */
final class HandlerQueue {
  final HandlerSpec<?> spec;
  final int concurrency;
  final Deque<Lane> ready = new ArrayDeque<>();

  /** Blocked lanes by the time when their deferred rows are to be looked at. */
  final PriorityQueue<Lane> checks =
      new PriorityQueue<>(Comparator.comparingLong(lane -> lane.notBefore));

  volatile boolean paused;
  int workers;
  int inMemory;

  HandlerQueue(HandlerSpec<?> spec, int concurrency) {
    this.spec = spec;
    this.concurrency = concurrency;
  }

  String name() {
    return spec.name();
  }

  /** Whether another worker would find something to do. */
  boolean wantsWorker() {
    return !paused && workers < concurrency && !ready.isEmpty();
  }
}
