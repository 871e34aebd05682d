/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.RelayStatus.Throughput;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A handler with its lanes that have something to deliver. All but the final fields are guarded by
 * the memory's lock.
 */
public final class HandlerLanes {
  /** After this time without a worker that takes something new, more of them are tried. */
  public static final Duration STALLED = Duration.ofMillis(2);

  /** While the circuit is open, so many lanes stay in memory to be tried in turn. */
  static final int PROBE_LANES = 8;

  /** So much work is enough for one worker: more of them would only be in each other's way. */
  private static final long WORK_OF_ONE = TimeUnit.MICROSECONDS.toNanos(500);

  /**
   * The time of a delivery falls at once and grows by this part: a thread that had to wait for a
   * processor says nothing about the handler.
   */
  private static final int GROWTH = 8;

  private final HandlerSpec<?> spec;
  private final int concurrency;
  private final Circuit circuit;
  private final Destinations destinations;
  private final @Nullable RateGate rate;
  private final Deque<Lane> offered = new ArrayDeque<>();
  private volatile boolean paused;
  private int workers;
  private int lost; // workers that hang beyond the time limit; others stand in for them
  private int inMemory;
  private int underWay; // sent, and not answered; no worker waits for them
  private int blockedLanes;
  private boolean dueRowsWait; // for room
  private long nanosPerDelivery; // 0 if not known
  private long takenAt;
  private long workNanos;
  private long worked; // deliveries

  /** Deliveries, and how long they took together. */
  public record WorkTime(long nanos, long deliveries) {}

  /**
   * @param workers how many it has unless it says so itself
   */
  HandlerLanes(HandlerSpec<?> spec, int workers, Duration probeInterval, long now) {
    this.spec = spec;
    this.concurrency = spec.concurrency().orElse(workers);
    this.circuit = new Circuit(probeInterval.toNanos(), now);
    this.destinations = new Destinations(probeInterval);
    this.rate = spec.rateLimit().map(limit -> new RateGate(limit, now)).orElse(null);
  }

  public HandlerSpec<?> spec() {
    return spec;
  }

  public String name() {
    return spec.name();
  }

  HandlerStatus status(Throughput throughput) {
    return new HandlerStatus(
        circuit.isOpen(), paused, blockedLanes, destinations.unavailable(), inMemory, throughput);
  }

  /** How long its deliveries have kept workers so far. */
  WorkTime workTime() {
    return new WorkTime(workNanos, worked);
  }

  Circuit circuit() {
    return circuit;
  }

  /** Where its messages go, as far as it says so. */
  public Destinations destinations() {
    return destinations;
  }

  /** Whether a dead letter keeps its lane blocked. */
  boolean blocksLanes() {
    return spec.lanePolicy() == HandlerSpec.LanePolicy.BLOCK;
  }

  // --- may it deliver?

  boolean isPaused() {
    return paused;
  }

  void pause(boolean pause) {
    paused = pause;
  }

  /** Whether nothing is delivered to it, but for probes. */
  boolean isClosed() {
    return paused || circuit.isOpen() || isStuck();
  }

  /** Whether so many of its workers hang that no more are risked. */
  boolean isStuck() {
    return lost >= concurrency;
  }

  /** How many deliveries may begin now. */
  int mayDeliver(long now) {
    if (paused || isStuck()) {
      return 0;
    }
    if (circuit.isOpen()) {
      return circuit.mayProbe(now) ? 1 : 0;
    }
    return rate == null ? Integer.MAX_VALUE : rate.allowed(now);
  }

  /** How long until a delivery may begin that has to wait for its time; the default if none has. */
  long nanosUntilDelivery(long now, long otherwise) {
    if (offered.isEmpty() || paused || isStuck() || workers >= concurrency) {
      return otherwise;
    }
    if (circuit.isOpen()) {
      return Math.min(otherwise, circuit.nanosUntilProbe(now));
    }
    return rate == null ? otherwise : Math.min(otherwise, rate.nanosUntilNext(now));
  }

  // --- lanes that workers may take from

  void offer(Lane lane) {
    offered.addLast(lane);
  }

  void withdraw(Lane lane) {
    offered.remove(lane);
    lane.withdraw();
  }

  int offeredCount() {
    return offered.size();
  }

  Lane nextOffered() {
    return offered.removeFirst();
  }

  /** Takes all offers back; the lanes in their order. */
  List<Lane> withdrawAll() {
    List<Lane> lanes = new ArrayList<>(offered);
    offered.clear();
    lanes.forEach(Lane::withdraw);
    return lanes;
  }

  // --- entries in memory

  int inMemory() {
    return inMemory;
  }

  /** How many are in memory that do not just wait for an answer. */
  int unsent() {
    return Math.max(0, inMemory - underWay);
  }

  /** Whether it has nothing in memory but deliveries that have been under way for this long. */
  boolean isIdle(long now, long nanos) {
    return inMemory == 0 || (offered.isEmpty() && now - takenAt >= nanos);
  }

  /** Whether it has nothing in memory but what hangs, so that there is nothing to probe with. */
  boolean lacksProbes() {
    return inMemory <= lost + underWay;
  }

  /** So many more are under way without a worker. */
  void underWay(int more) {
    underWay += more;
  }

  void entered() {
    inMemory++;
  }

  void left() {
    inMemory--;
  }

  void forgetEntries() {
    inMemory = 0;
  }

  /** Its deferred rows were not read because it had no room. */
  void dueRowsWait() {
    dueRowsWait = true;
  }

  /** Whether its deferred rows wait for room; asked once. */
  boolean pollDueRowsWait() {
    boolean wait = dueRowsWait;
    dueRowsWait = false;
    return wait;
  }

  void blockedLanes(int count) {
    blockedLanes = count;
  }

  int blockedLanes() {
    return blockedLanes;
  }

  // --- workers

  /** How many more workers would find something to do, and are of use. */
  int missingWorkers(long now) {
    return Math.min(usefulWorkers(now) - workers, Math.min(batchesThatWait(), mayDeliver(now)));
  }

  /** How many workers the lanes that wait would give something to, at the most. */
  private int batchesThatWait() {
    long messages = (long) offered.size() * spec.batchPerKey();
    return (int) Math.min(offered.size(), (messages + spec.batchSize() - 1) / spec.batchSize());
  }

  /**
   * Whether lanes wait for workers that are at something else, though there could be more.
   *
   * @param coming how many workers have just been started
   */
  boolean holdsWorkersBack(int coming, long now) {
    return batchesThatWait() > coming && workers < concurrency && mayDeliver(now) > coming;
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

  void workersStarted(int more) {
    workers += more;
  }

  void workerEnded() {
    workers--;
  }

  /** A worker hangs: another may stand in for it, also if it was to find out about the circuit. */
  void workerLost(long now) {
    workers--;
    lost++;
    circuit.probeEnds(now);
  }

  void workerBack() {
    lost--;
  }

  /** A worker has taken so many entries. */
  void taken(long now, int entries) {
    takenAt = now;
    if (rate != null) {
      rate.taken(entries);
    }
  }

  /** Some deliveries have ended that took this long together; others were not begun. */
  void ended(long nanos, int deliveries, int notBegun) {
    if (rate != null) {
      rate.givenBack(notBegun);
    }
    if (nanos > 0 && deliveries > 0) {
      workNanos += nanos;
      worked += deliveries;
      long each = Math.max(1, nanos / deliveries);
      long most = nanosPerDelivery + nanosPerDelivery / GROWTH + 1;
      nanosPerDelivery = nanosPerDelivery == 0 ? each : Math.min(each, most);
    }
  }
}
