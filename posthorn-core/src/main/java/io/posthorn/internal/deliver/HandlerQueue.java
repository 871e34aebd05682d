/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A handler with its lanes that have something to deliver. All but the final fields are guarded by
 * the workload's lock.
 */
final class HandlerQueue {
  /** After this time without a worker that takes something new, more of them are tried. */
  static final Duration STALLED = Duration.ofMillis(2);

  /** While the circuit is open, so many lanes stay in memory to be tried in turn. */
  static final int PROBE_LANES = 8;

  /** So much work is enough for one worker: more of them would only be in each other's way. */
  private static final long WORK_OF_ONE = TimeUnit.MICROSECONDS.toNanos(500);

  /**
   * The time of a delivery falls at once and grows by this part: a thread that had to wait for a
   * processor says nothing about the handler.
   */
  private static final int GROWTH = 8;

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
  private long nanosPerDelivery; // 0 if not known
  private long takenAt;

  HandlerQueue(HandlerSpec<?> spec, int concurrency, Circuit circuit, @Nullable RateGate rate) {
    this.spec = spec;
    this.concurrency = concurrency;
    this.circuit = circuit;
    this.rate = rate;
  }

  String name() {
    return spec.name();
  }

  RelayStatus.HandlerStatus status() {
    return new RelayStatus.HandlerStatus(circuit.isOpen(), paused, blockedLanes());
  }

  /** How many lanes are blocked, in all partitions. */
  int blockedLanes() {
    return blockedLanes.values().stream().mapToInt(count -> count).sum();
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

  /** How many more workers would find something to do, and are of use. */
  int missingWorkers(long now) {
    return Math.min(usefulWorkers(now) - workers, Math.min(runsThatWait(), mayDeliver(now)));
  }

  /** How many workers the lanes that wait would give something to, at the most. */
  private int runsThatWait() {
    long messages = (long) ready.size() * spec.batchPerKey();
    return (int) Math.min(ready.size(), (messages + spec.batchSize() - 1) / spec.batchSize());
  }

  /**
   * Whether lanes wait for workers that are at something else, though there could be more.
   *
   * @param coming how many workers have just been started
   */
  boolean holdsWorkersBack(int coming, long now) {
    return runsThatWait() > coming && workers < concurrency && mayDeliver(now) > coming;
  }

  /**
   * As many as have enough to do, by the time that deliveries took so far. If those at work have
   * taken nothing new for a while, they may be blocked: then twice as many.
   */
  private int usefulWorkers(long now) {
    if (nanosPerDelivery == 0) {
      return concurrency;
    }
    long useful = 1 + inMemory * nanosPerDelivery / WORK_OF_ONE;
    if (now - takenAt >= STALLED.toNanos()) {
      useful = Math.max(useful, 2L * workers);
    }
    return (int) Math.min(concurrency, useful);
  }

  /** A worker has taken something. */
  void taken(long now) {
    takenAt = now;
  }

  /** Some deliveries have ended that took this long together. */
  void took(long nanos, int deliveries) {
    if (nanos > 0 && deliveries > 0) {
      long each = Math.max(1, nanos / deliveries);
      long most = nanosPerDelivery + nanosPerDelivery / GROWTH + 1;
      nanosPerDelivery = nanosPerDelivery == 0 ? each : Math.min(each, most);
    }
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
