/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A handler with its lanes that have something to deliver. All but the final fields are guarded by
 * the workload's lock.
 */
final class HandlerQueue {
  /** While the circuit is open, so many lanes stay in memory to be tried in turn. */
  static final int PROBE_LANES = 8;

  final HandlerSpec<?> spec;
  final int concurrency;
  final Circuit circuit;
  final @Nullable RateGate rate;
  final Deque<Lane> ready = new ArrayDeque<>();

  /** Blocked lanes by the time when their deferred rows are to be looked at. */
  final PriorityQueue<Lane> checks =
      new PriorityQueue<>(Comparator.comparingLong(lane -> lane.notBefore));

  /** How many lanes are blocked, by partition. */
  final Map<Integer, Integer> blockedLanes = new HashMap<>();

  volatile boolean paused;
  int workers;
  int lost; // workers that hang beyond the time limit; others stand in for them
  int inMemory;

  HandlerQueue(HandlerSpec<?> spec, int concurrency, Circuit circuit, @Nullable RateGate rate) {
    this.spec = spec;
    this.concurrency = concurrency;
    this.circuit = circuit;
    this.rate = rate;
  }

  String name() {
    return spec.name();
  }

  /** Whether a failed message holds up the later ones of its key. */
  boolean holdsLanes() {
    return spec.lanePolicy() != HandlerSpec.LanePolicy.PASS;
  }

  /** Whether nothing is delivered to it, but for probes. */
  boolean closed() {
    return paused || circuit.isOpen() || stuck();
  }

  /** Whether so many of its workers hang that no more are risked. */
  boolean stuck() {
    return lost >= concurrency;
  }

  /** Whether another worker would find something to do. */
  boolean wantsWorker(long now) {
    return !ready.isEmpty() && workers < concurrency && mayDeliver(now) > 0;
  }

  /** How many deliveries may begin now. */
  int mayDeliver(long now) {
    if (paused || stuck()) {
      return 0;
    }
    if (circuit.isOpen()) {
      return circuit.mayProbe(now) ? 1 : 0;
    }
    return rate == null ? Integer.MAX_VALUE : rate.allowed(now);
  }

  /** How long until a delivery may begin that has to wait for its time; the default if none has. */
  long nanosUntilDelivery(long now, long otherwise) {
    if (ready.isEmpty() || paused || stuck() || workers >= concurrency) {
      return otherwise;
    }
    if (circuit.isOpen()) {
      return Math.min(otherwise, circuit.nanosUntilProbe(now));
    }
    return rate == null ? otherwise : Math.min(otherwise, rate.nanosUntilNext(now));
  }
}
