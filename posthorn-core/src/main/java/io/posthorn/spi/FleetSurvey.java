/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Who owns what, who is alive, what is paused, and what those handled that are gone. The partitions
 * were read first and the instances in a later snapshot: an owner that is not among the instances
 * is gone for good.
 *
 * @param untilStale after how long the next instance is stale unless it sends a heartbeat before;
 *     the asking relay's own lease if there is none
 * @since 0.1
 */
public record FleetSurvey(
    List<PartitionOwner> partitions,
    List<LiveInstance> instances,
    Set<Pause> pauses,
    Duration untilStale,
    List<Gone> gone) {
  public FleetSurvey {
    requireNonNull(untilStale, "untilStale");
    partitions = List.copyOf(partitions);
    instances = List.copyOf(instances);
    pauses = Set.copyOf(pauses);
    gone = List.copyOf(gone);
  }

  /** Whether one of the instances is stale. */
  public boolean anyStale() {
    return instances.stream().anyMatch(LiveInstance::stale);
  }

  /** Whether this instance is there and stale. */
  public boolean isStale(RelayIdentity identity) {
    return instances.stream()
        .anyMatch(instance -> instance.stale() && instance.identity().equals(identity));
  }

  /**
   * A handler of an instance that has retired, left or was expelled.
   *
   * @param types that it took; none if it decided by itself
   * @param age how long ago that was
   */
  public record Gone(String handler, RelayIdentity instance, Set<String> types, Duration age) {
    public Gone {
      requireNonNull(handler, "handler");
      requireNonNull(instance, "instance");
      requireNonNull(age, "age");
      types = Set.copyOf(types);
    }
  }

  /** What can be paused for the whole fleet. */
  public enum Paused {
    HANDLER,
    PARTITION
  }

  /**
   * A handler or partition that the whole fleet leaves alone until it is resumed.
   *
   * @param name of the handler, or the partition's number
   */
  public record Pause(Paused kind, String name, Instant since) {
    public Pause {
      requireNonNull(kind, "kind");
      requireNonNull(name, "name");
      requireNonNull(since, "since");
    }
  }
}
