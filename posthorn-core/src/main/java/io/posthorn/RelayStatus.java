/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Set;

/**
 * What a relay is doing, at one moment.
 *
 * @param name the relay's name
 * @param leaseValid whether it may start deliveries now
 * @param epochs the partitions it holds, with their epochs
 * @param inMemory messages read and not yet settled
 * @param bytesInMemory their payloads and headers, and a little for each
 * @param lanesInMemory lanes of which something is in memory
 * @param blockedLanes lanes with messages in the deferred table, counted now and then, up to 1,000
 *     for each handler and partition
 * @param handlers the relay's handlers, by name
 * @param counts totals since the start
 * @since 0.1
 */
public record RelayStatus(
    String name,
    boolean leaseValid,
    Map<Integer, Long> epochs,
    int inMemory,
    long bytesInMemory,
    int lanesInMemory,
    int blockedLanes,
    Map<String, HandlerStatus> handlers,
    Counts counts) {
  public RelayStatus {
    requireNonNull(name, "name");
    requireNonNull(counts, "counts");
    epochs = Map.copyOf(epochs);
    handlers = Map.copyOf(handlers);
  }

  /**
   * What one handler is doing.
   *
   * @param circuitOpen whether its destination is down, so that its messages wait
   * @param paused whether it is paused for the whole fleet
   * @param blockedLanes its part of {@link RelayStatus#blockedLanes}
   * @param unavailable the topics, exchanges or other destinations of a sender that are unavailable
   *     while others go on; those of {@code circuitOpen} are not among them
   */
  public record HandlerStatus(
      boolean circuitOpen, boolean paused, int blockedLanes, Set<String> unavailable) {
    public HandlerStatus {
      unavailable = Set.copyOf(unavailable);
    }
  }

  /** Totals since the relay was started. */
  public record Counts(
      long delivered, long retried, long dead, long expired, long ignored, long settled) {}
}
