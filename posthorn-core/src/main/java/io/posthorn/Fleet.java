/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /**
   * The handlers of the fleet by name, with those that are paused and no relay has. Their figures
   * are those of the relays' last heartbeats.
   */
  List<HandlerState> handlers();

  /**
   * The figures of the last hour, one sample each ten seconds, the oldest first. This process
   * begins to record them at the first call, and forgets them when it ends; a process that was not
   * started records none. Each sample costs it a {@link Admin#survey}.
   */
  List<Sample> recent();

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
   * A relay of the fleet.
   *
   * @param leaseValid false: it is about to be expelled, and others take its partitions
   * @param handlers the types that each of its handlers takes, by handler; an empty set stands for
   *     a handler that decides by itself. None at all: it is about to leave
   * @param partitions those that it owns, in order
   * @param leaseEnd as it stated at its last heartbeat, on the database's clock; null if it has
   *     just gone
   * @param heartbeatAt when that was; the status is of that moment
   * @param status what it is doing, as it said itself; null until its first heartbeat. Of a relay
   *     with very many handlers, some may be missing in it
   */
  record Instance(
      RelayIdentity identity,
      boolean leaseValid,
      Map<String, Set<String>> handlers,
      List<Integer> partitions,
      @Nullable Instant leaseEnd,
      @Nullable Instant heartbeatAt,
      @Nullable RelayStatus status) {
    public Instance {
      requireNonNull(identity, "identity");
      handlers = Map.copyOf(handlers);
      partitions = List.copyOf(partitions);
    }
  }

  /**
   * A handler, as the whole fleet sees it.
   *
   * @param types those that it takes; none if it decides by itself, or no relay has it. One whose
   *     lease has ended counts until it is expelled
   * @param pausedSince null: it is not paused
   * @param relays the names of the relays that have it, in order. Here and in all that follows,
   *     only those whose lease is valid
   * @param circuitOpen the names of those that find its destination down
   * @param unavailable the topics, exchanges or other destinations that one of them finds
   *     unavailable while others go on
   * @param inMemory messages that relays have read for it and not yet settled
   * @param blockedLanes lanes with deferred messages, up to 1,000 of each partition
   * @param averageTime that a delivery keeps a worker; zero if there was none of late
   */
  record HandlerState(
      String name,
      Set<String> types,
      @Nullable Instant pausedSince,
      List<String> relays,
      List<String> circuitOpen,
      Set<String> unavailable,
      int inMemory,
      int blockedLanes,
      double deliveredPerSecond,
      double failedPerSecond,
      Duration averageTime) {
    public HandlerState {
      requireNonNull(name, "name");
      requireNonNull(averageTime, "averageTime");
      types = Set.copyOf(types);
      relays = List.copyOf(relays);
      circuitOpen = List.copyOf(circuitOpen);
      unavailable = Set.copyOf(unavailable);
    }
  }

  /**
   * Figures of the whole fleet at one moment.
   *
   * @param at on the database's clock
   * @param perSecond rates since the sample before
   * @param ready messages, as {@link Admin.Survey} counts them
   * @param deferred messages
   * @param dead dead letters
   * @param capped whether one of these counts ended at a limit, so that there may be more
   * @param oldestReady how long ago the oldest of the ready messages was written
   * @param instances relays whose lease has not ended
   */
  record Sample(
      Instant at,
      Rates perSecond,
      long ready,
      long deferred,
      long dead,
      boolean capped,
      Duration oldestReady,
      int instances) {
    public Sample {
      requireNonNull(at, "at");
      requireNonNull(perSecond, "perSecond");
      requireNonNull(oldestReady, "oldestReady");
    }
  }

  /**
   * How often something happens in a second.
   *
   * @param published messages, by processes that have a relay, and by this one
   * @param delivered to one handler each
   * @param retried deliveries that failed and will be tried again
   * @param dead dead letters that came to be
   */
  record Rates(double published, double delivered, double retried, double dead) {}
}
