/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The lanes in memory, by handler and key. Guarded by the workload's lock. */
final class LaneTable {
  /** Begins the lane key of a message without a key; no key has this character. */
  private static final String KEYLESS = "\0";

  private static final Fate HELD = new Fate.Deferred(DeferReason.HELD, 0, null, null);

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
    return lane(handler, new LaneId(message.partition(), handler.name(), laneKey), key != null);
  }

  /** The lane with this id, which has a key. */
  Lane lane(HandlerQueue handler, LaneId id) {
    return lane(handler, id, true);
  }

  private Lane lane(HandlerQueue handler, LaneId id, boolean keyed) {
    return lanes.computeIfAbsent(id, any -> new Lane(handler, id, keyed));
  }

  int blockedLanes() {
    return (int) lanes.values().stream().filter(lane -> lane.blocked).count();
  }

  /** Hands a ready message to a handler's lane, or lets it join those that wait. */
  void offer(PendingMessage pending, HandlerQueue handler) {
    Lane lane = lane(handler, pending.message);
    if (lane.blocked) {
      pending.leaveOver(lane, HELD);
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
    lane.blocked = lane.keyed;
    List<Task> queued = List.copyOf(lane.queue);
    lane.queue.clear();
    for (Task task : queued) {
      giveBack(task);
    }
  }

  /** Gives up a task that was not started: its row goes to, or stays in, the deferred table. */
  void giveBack(Task task) {
    task.lane.handler.inMemory--;
    PendingMessage pending = task.pending;
    if (pending == null) {
      task.lane.deferredInMemory--;
      whenGivenBack.accept(task);
      return;
    }
    pending.leaveOver(task, HELD);
    whenLeftOver.accept(pending);
  }

  /** The task stays in its lane, but its row goes to the deferred table. */
  void detach(Task task, PendingMessage pending) {
    pending.leaveOver(task, HELD);
    task.pending = null;
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

  /** Plans no look at blocked lanes of this partition, or plans them again. */
  void pause(int partition, boolean pause) {
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
    }
  }

  private static boolean clear(Lane lane) {
    lane.blocked = false;
    lane.checkPlanned = false;
    lane.moving = 0;
    lane.arrived = false;
    lane.deferredInMemory = 0;
    lane.notBefore = 0;
    return !lane.running;
  }
}
