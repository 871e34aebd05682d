/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The instances of an outbox, and what they do not do because an operator said so. See {@link
 * Admin} for threads, transactions and failures.
 *
 * @since 0.1
 */
public interface Fleet {
  /**
   * The relays that have joined, by name, with those whose lease has ended and nobody noticed yet.
   */
  List<Instance> instances();

  /** All partitions, with their owners. Those of one that nobody owns wait. */
  List<PartitionOwner> partitions();

  /**
   * The partition in which messages with this key are, and so the place to look for their owner.
   *
   * @param key of at least one character
   */
  int partitionOf(String key);

  /**
   * Starts no more deliveries of one handler, on any relay, until it is resumed; a restart does not
   * end it. The others go on, and if they wait for room its messages are put aside.
   *
   * @param name a handler that no relay has yet can be paused, too
   * @return false if it was paused before
   */
  default boolean pauseHandler(String name) {
    return pauseHandler(name, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction pauseHandler(String name, ActionRun run);

  /**
   * @return false if it was not paused
   */
  default boolean resumeHandler(String name) {
    return resumeHandler(name, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction resumeHandler(String name, ActionRun run);

  /**
   * Reads no more messages of one partition, on any relay, until it is resumed; a restart does not
   * end it. Those in memory are delivered.
   *
   * @return false if it was paused before
   * @throws IllegalArgumentException if there is no such partition
   */
  default boolean pausePartition(int partition) {
    return pausePartition(partition, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction pausePartition(int partition, ActionRun run);

  /**
   * @return false if it was not paused
   * @throws IllegalArgumentException if there is no such partition
   */
  default boolean resumePartition(int partition) {
    return resumePartition(partition, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction resumePartition(int partition, ActionRun run);

  /** What is paused now. */
  List<Pause> pauses();

  /**
   * Says that a handler was removed on purpose. Without it, messages are kept for a handler that no
   * live relay has any more, for {@code relay.unknown-type-grace} after the last one is gone. What
   * was kept for it so far is not touched: see {@link DeferredMessages#cancelAll}.
   *
   * @return false if no messages are kept for a handler of this name
   */
  default boolean forgetHandler(String name) {
    return forgetHandler(name, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction forgetHandler(String name, ActionRun run);

  /**
   * A relay of the fleet. What it has in memory, and whether its circuits are open, only its own
   * process knows: see {@link Relay#status}; metrics have it of all processes.
   *
   * @param leaseValid false: it is about to be expelled, and others take its partitions
   * @param handlers the types that each of its handlers takes, by handler; an empty set stands for
   *     a handler that decides by itself. None at all: it is about to leave
   * @param partitions those that it owns, in order
   */
  record Instance(
      RelayIdentity identity,
      boolean leaseValid,
      Map<String, Set<String>> handlers,
      List<Integer> partitions) {
    public Instance {
      requireNonNull(identity, "identity");
      handlers = Map.copyOf(handlers);
      partitions = List.copyOf(partitions);
    }
  }
}
