/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

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
import org.jspecify.annotations.Nullable;

/**
 * The lanes in memory, by handler and key. There are only those of which something is in memory or
 * on its way to the store. Guarded by the memory's lock.
 */
final class LaneTable {
  /** Begins the lane key of a message without a key; no key has this character. */
  private static final String KEYLESS = "\0";

  private final List<HandlerLanes> handlers;
  private final Map<String, HandlerLanes> byName = new LinkedHashMap<>();
  private final Map<LaneId, Lane> lanes = new HashMap<>();
  private final PartitionTable partitions;
  private final Window window;

  /**
   * @param handlers typed ones first
   */
  LaneTable(List<HandlerLanes> handlers, PartitionTable partitions, Window window) {
    this.handlers = List.copyOf(handlers);
    this.partitions = partitions;
    this.window = window;
    handlers.forEach(handler -> byName.put(handler.name(), handler));
  }

  /** In the order in which they were given. */
  List<HandlerLanes> handlers() {
    return handlers;
  }

  @Nullable HandlerLanes handler(String name) {
    return byName.get(name);
  }

  int size() {
    return lanes.size();
  }

  /**
   * How many more messages of a handler may be read. While its circuit is open, a few for the
   * probes.
   */
  int roomOf(HandlerLanes handler, long now) {
    if (partitions.areAllPaused() || handler.isPaused() || handler.isStuck()) {
      return 0;
    }
    if (handler.circuit().isOpen()) {
      boolean wanted = handler.lacksProbes() && handler.circuit().mayProbe(now);
      return wanted ? HandlerLanes.PROBE_LANES : 0;
    }
    int share = Math.max(1, window.maxMessages() / handlers.size());
    int room = Math.min(share - handler.unsent(), window.freeMessages());
    // A read passes over what is in memory already, so it is not made for a few rows.
    return room < Math.min(share, window.unsentMessages()) / 4 ? 0 : Math.max(0, room);
  }

  /** The lane of a key, or of a single message if it has none. */
  Lane of(HandlerLanes handler, StoredMessage message) {
    String key = message.envelope().key();
    String laneKey = key == null ? KEYLESS + message.seq() : key;
    LaneId id = new LaneId(message.partition(), handler.name(), laneKey);
    Lane lane = lanes.get(id);
    if (lane == null) {
      lane = new Lane(handler, id, key != null);
      lanes.put(id, lane);
    }
    return lane;
  }

  /** The lane with this id, if there is something of it in memory. */
  @Nullable Lane find(LaneId id) {
    return lanes.get(id);
  }

  void enqueue(LaneEntry entry) {
    entry.lane().insert(entry);
    entry.lane().handler().entered();
    offer(entry.lane());
  }

  /** Offers the lane to the workers, if it has something to deliver. */
  void offer(Lane lane) {
    if (lane.offer()) {
      lane.handler().offer(lane);
    }
  }

  /** Something of the lane has ended: what is next for it? */
  void settleDown(Lane lane) {
    offer(lane);
    if (lane.isIdle()) {
      HeldPartition partition = partitions.find(lane.id().partition());
      if (lane.isClosed() && partition != null) {
        partition.laneLeaves(lane); // a read that is under way does not know that it is closed
      } else {
        lanes.remove(lane.id(), lane);
      }
    }
  }

  /** Forgets closed lanes that have stayed at rest; from now on reads tell what is there. */
  void forget(Collection<Lane> resting) {
    for (Lane lane : resting) {
      if (lane.isIdle()) {
        lanes.remove(lane.id(), lane);
      }
    }
  }

  /** All lanes of a handler that have entries queued, those that are offered first. */
  List<Lane> withQueued(HandlerLanes handler) {
    List<Lane> queued = new ArrayList<>(handler.withdrawAll());
    Set<Lane> found = new HashSet<>(queued);
    for (Lane lane : lanes.values()) {
      if (lane.handler() == handler && lane.hasQueued() && found.add(lane)) {
        queued.add(lane);
      }
    }
    return queued;
  }

  /** Lanes whose head has been under way for this long, while others wait behind it. */
  List<Lane> heldUp(long now, long nanos) {
    List<Lane> heldUp = new ArrayList<>(0);
    for (Lane lane : lanes.values()) {
      if (lane.holdingUp(now, nanos) != null) {
        heldUp.add(lane);
      }
    }
    return heldUp;
  }

  /**
   * Drops all lanes of a partition; one with a delivery under way is remembered until that ends.
   */
  void dropPartition(int partition) {
    for (HandlerLanes handler : handlers) {
      List<Lane> others = handler.withdrawAll();
      others.removeIf(lane -> lane.id().partition() == partition);
      others.forEach(this::offer);
    }
    lanes.values().removeIf(lane -> lane.id().partition() == partition && forget(lane));
  }

  private static boolean forget(Lane lane) {
    lane.forget();
    return lane.isIdle();
  }
}
