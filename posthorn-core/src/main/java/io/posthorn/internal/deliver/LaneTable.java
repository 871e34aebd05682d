/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lanes in memory, by handler and key. Guarded by the workload's lock. */
final class LaneTable {
  /** Begins the lane key of a message without a key; no key has this character. */
  private static final String KEYLESS = "\0";

  static final Fate HELD = new Fate.Deferred(DeferReason.HELD, 0, null, null);
  static final Fate WAITING = new Fate.Deferred(DeferReason.WAITING, 0, null, null);
  private static final Fate WAITING_BY_TIME =
      new Fate.Deferred(DeferReason.WAITING, 0, Duration.ZERO, null, true);

  private final Map<String, HandlerQueue> handlers = new LinkedHashMap<>();
  private final Map<LaneId, Lane> lanes = new HashMap<>();
  private final Set<Integer> pausedPartitions = new HashSet<>();
  private final Consumer<PendingMessage> whenLeftOver;
  private final Consumer<Task> whenGivenBack;
  private final Runnable whenCheckPlanned;

  /**
   * @param handlers typed ones first
   * @param whenLeftOver called for pending messages that some handler will not be done with here
   * @param whenCheckPlanned called when a blocked lane is to be looked at
   * @param whenGivenBack called for tasks of deferred rows that leave the memory as they came
   */
  LaneTable(
      Collection<HandlerQueue> handlers,
      Consumer<PendingMessage> whenLeftOver,
      Consumer<Task> whenGivenBack,
      Runnable whenCheckPlanned) {
    handlers.forEach(handler -> this.handlers.put(handler.name(), handler));
    this.whenLeftOver = whenLeftOver;
    this.whenGivenBack = whenGivenBack;
    this.whenCheckPlanned = whenCheckPlanned;
  }

  Collection<HandlerQueue> handlers() {
    return handlers.values();
  }

  @Nullable HandlerQueue handler(String name) {
    return handlers.get(name);
  }

  /** The lane of a key, or of a single message if it has none. */
  Lane lane(HandlerQueue handler, StoredMessage message) {
    String key = message.envelope().key();
    String laneKey = key == null ? KEYLESS + message.seq() : key;
    return lane(
        handler,
        new LaneId(message.partition(), handler.name(), laneKey),
        key != null && handler.holdsLanes());
  }

  /** The lane with this id, which has a key and rows that hold it. */
  Lane lane(HandlerQueue handler, LaneId id) {
    return lane(handler, id, true);
  }

  private Lane lane(HandlerQueue handler, LaneId id, boolean holds) {
    return lanes.computeIfAbsent(id, any -> new Lane(handler, id, holds));
  }

  /** The lane with this id, if anything is remembered about it. */
  @Nullable Lane find(LaneId id) {
    return lanes.get(id);
  }

  int blockedLanes() {
    return handlers.values().stream().mapToInt(HandlerQueue::blockedLanes).sum();
  }

  /** Hands a ready message to a handler's lane, or lets it join those that wait. */
  void offer(PendingMessage pending, HandlerQueue handler, boolean alone) {
    Backlog backlog = pending.holding.backlog(handler.name());
    if (backlog != null && pending.message.envelope().key() != null && handler.holdsLanes()) {
      pending.leaveOver(backlog, WAITING);
      return;
    }
    Lane lane = lane(handler, pending.message);
    boolean apart = pending.holding.cautious || (handler.spec.isTransactional() && !alone);
    if (lane.blocked || apart) {
      blocked(lane, lane.blocked || lane.holds);
      pending.leaveOver(lane, lane.holds ? HELD : WAITING_BY_TIME);
      return;
    }
    Task task = new Task(pending, lane);
    pending.open(task);
    enqueue(task);
  }

  /**
   * A message that its handler takes in another instance only: it holds its lane, which is looked
   * at now.
   */
  void leave(PendingMessage pending, HandlerQueue handler, Fate fate, long now) {
    Lane lane = lane(handler, pending.message);
    block(lane);
    if (lane.listed) {
      lane.listed = false;
      handler.ready.remove(lane);
    }
    lane.notBefore = now;
    pending.leaveOver(lane, fate);
  }

  void enqueue(Task task) {
    task.lane.insert(task);
    task.lane.handler.inMemory++;
    list(task.lane);
  }

  /** Offers the lane to the workers, if it has something to deliver. */
  void list(Lane lane) {
    if (!lane.running && !lane.listed && !lane.queue.isEmpty()) {
      lane.listed = true;
      lane.handler.ready.add(lane);
    }
  }

  /** From now on messages of this lane wait in the deferred table; what is queued goes there. */
  void block(Lane lane) {
    if (!lane.holds) {
      return; // others of its key go on
    }
    blocked(lane, true);
    giveBackQueued(lane, HELD);
  }

  private void giveBackQueued(Lane lane, Fate fate) {
    List<Task> queued = List.copyOf(lane.queue);
    lane.queue.clear();
    for (Task task : queued) {
      giveBack(task, fate);
    }
  }

  /** Marks a lane as blocked or free. */
  void blocked(Lane lane, boolean blocked) {
    if (lane.blocked != blocked) {
      lane.blocked = blocked;
      lane.handler.blockedLanes.merge(lane.id.partition(), blocked ? 1 : -1, Integer::sum);
    }
  }

  /**
   * Puts what a handler has in memory into the deferred table, but for the first message of some
   * lanes if its circuit is to be probed.
   */
  void park(HandlerQueue handler, Function<Holding, Backlog> backlogOf) {
    int kept = handler.circuit.isOpen() && !handler.paused ? HandlerQueue.PROBE_LANES : 0;
    List<Lane> queued = queuedLanes(handler);
    handler.ready.forEach(lane -> lane.listed = false);
    handler.ready.clear();
    for (Lane lane : queued) {
      Task first = kept > 0 ? lane.queue.removeFirst() : null;
      for (Task task : List.copyOf(lane.queue)) {
        park(task, backlogOf);
      }
      lane.queue.clear();
      if (first != null) {
        lane.queue.addFirst(first);
        kept--;
      }
      settleDown(lane);
    }
  }

  private void park(Task task, Function<Holding, Backlog> backlogOf) {
    PendingMessage pending = task.pending;
    if (!task.lane.holds) {
      giveBack(task, WAITING_BY_TIME);
      return;
    }
    Backlog backlog = backlogOf.apply(task.holding);
    if (pending == null) {
      PendingMessage split = task.split;
      if (split == null || !split.joins(backlog)) {
        backlog.givenBack(task.message);
      }
      giveBack(task, WAITING);
      return;
    }
    task.lane.handler.inMemory--;
    pending.leaveOver(task, backlog, WAITING);
    whenLeftOver.accept(pending);
  }

  /** Gives up a task that was not started: its row goes to, or stays in, the deferred table. */
  void giveBack(Task task) {
    giveBack(task, task.lane.holds ? HELD : WAITING_BY_TIME);
  }

  private void giveBack(Task task, Fate fate) {
    task.lane.handler.inMemory--;
    PendingMessage pending = task.pending;
    if (pending == null) {
      task.lane.deferredInMemory--;
      whenGivenBack.accept(task);
      return;
    }
    pending.leaveOver(task, fate);
    whenLeftOver.accept(pending);
  }

  /** The task stays in its lane, but its row goes to the deferred table. */
  void detach(Task task, PendingMessage pending) {
    pending.leaveOver(task, task.lane.holds ? HELD : WAITING_BY_TIME);
    task.pending = null;
    task.split = pending;
    task.lane.deferredInMemory++;
  }

  /** The lane came to rest: what is next for it? */
  void settleDown(Lane lane) {
    list(lane);
    if (lane.wantsCheck() && !paused(lane.id.partition())) {
      lane.checkPlanned = true;
      lane.handler.checks.add(lane);
      whenCheckPlanned.run();
    } else if (lane.idle()) {
      lanes.remove(lane.id);
    }
  }

  boolean paused(int partition) {
    return pausedPartitions.contains(partition);
  }

  /**
   * Pauses these partitions and no others.
   *
   * @return whether one goes on that was paused
   */
  boolean pauseOnly(Set<Integer> wanted) {
    List<Integer> resumed =
        pausedPartitions.stream().filter(partition -> !wanted.contains(partition)).toList();
    resumed.forEach(partition -> pause(partition, false));
    wanted.stream()
        .filter(partition -> !pausedPartitions.contains(partition))
        .toList()
        .forEach(partition -> pause(partition, true));
    return !resumed.isEmpty();
  }

  /** Plans no look at blocked lanes of this partition, or plans them again. */
  private void pause(int partition, boolean pause) {
    if (pause) {
      pausedPartitions.add(partition);
      for (HandlerQueue handler : handlers.values()) {
        handler.checks.removeIf(lane -> lane.id.partition() == partition && unplan(lane));
      }
    } else {
      pausedPartitions.remove(partition);
      List.copyOf(lanes.values()).stream()
          .filter(lane -> lane.id.partition() == partition)
          .forEach(this::settleDown);
    }
  }

  private static boolean unplan(Lane lane) {
    lane.checkPlanned = false;
    return true;
  }

  /** All lanes of a handler that have tasks queued, those of single messages included. */
  List<Lane> queuedLanes(HandlerQueue handler) {
    List<Lane> queued = new ArrayList<>(handler.ready);
    lanes.values().stream()
        .filter(lane -> lane.handler == handler && !lane.listed && !lane.queue.isEmpty())
        .forEach(queued::add);
    return queued;
  }

  /**
   * Drops all lanes of a partition; one with a delivery under way is remembered until that ends.
   */
  void dropPartition(int partition) {
    lanes.values().removeIf(lane -> lane.id.partition() == partition && clear(lane));
    for (HandlerQueue handler : handlers.values()) {
      handler.checks.removeIf(lane -> lane.id.partition() == partition);
      handler.blockedLanes.remove(partition);
    }
  }

  /** Looks at this lane now, if it is at rest. */
  void checkNow(Lane lane, long now) {
    lane.notBefore = now;
    if (lane.checkPlanned) {
      lane.handler.checks.remove(lane);
      lane.handler.checks.add(lane);
      whenCheckPlanned.run();
    } else {
      settleDown(lane);
    }
  }

  /** Looks at all blocked lanes of these partitions now. */
  void checkNow(BitSet partitions, long now) {
    List.copyOf(lanes.values()).stream()
        .filter(lane -> lane.blocked && partitions.get(lane.id.partition()))
        .forEach(lane -> checkNow(lane, now));
  }

  /** Forgets the blocked lanes of one handler and partition that are at rest. */
  void forgetResting(HandlerQueue handler, int partition) {
    handler.checks.removeIf(lane -> lane.id.partition() == partition && forget(lane));
  }

  private boolean forget(Lane lane) {
    lane.checkPlanned = false;
    blocked(lane, false);
    lanes.remove(lane.id);
    return true;
  }

  private static boolean clear(Lane lane) {
    lane.blocked = false;
    lane.checkPlanned = false;
    lane.arrivals.clear();
    lane.deferredInMemory = 0;
    lane.notBefore = Long.MIN_VALUE / 2;
    return !lane.running;
  }
}
