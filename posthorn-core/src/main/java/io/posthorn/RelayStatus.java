/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a relay is doing, at one moment. {@link Relay#status} has it of this process, {@link
 * Fleet#instances} of all.
 *
 * @param name the relay's name
 * @param program what runs it
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
    Program program,
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
    requireNonNull(program, "program");
    requireNonNull(counts, "counts");
    epochs = Map.copyOf(epochs);
    handlers = Map.copyOf(handlers);
  }

  /**
   * The program that runs a relay.
   *
   * @param version of Posthorn
   * @param applicationVersion as {@code relay.application-version} says, or null
   * @param startedAt when the relay was made, by the clock of its process
   */
  public record Program(String version, @Nullable String applicationVersion, Instant startedAt) {
    public Program {
      requireNonNull(version, "version");
      requireNonNull(startedAt, "startedAt");
    }
  }

  /**
   * What one handler is doing.
   *
   * @param circuitOpen whether its destination is down, so that its messages wait
   * @param paused whether it is paused for the whole fleet
   * @param blockedLanes its part of {@link RelayStatus#blockedLanes}
   * @param unavailable the topics, exchanges or other destinations of a sender that are unavailable
   *     while others go on; those of {@code circuitOpen} are not among them
   * @param inMemory messages read for it and not yet settled
   * @param throughput how much it gets done
   */
  public record HandlerStatus(
      boolean circuitOpen,
      boolean paused,
      int blockedLanes,
      Set<String> unavailable,
      int inMemory,
      Throughput throughput) {
    public HandlerStatus {
      unavailable = Set.copyOf(unavailable);
      requireNonNull(throughput, "throughput");
    }
  }

  /**
   * How much a handler gets done. The rates and the time are those between the last two heartbeats,
   * and zero before.
   *
   * @param delivered deliveries that succeeded, since the relay was started
   * @param failed deliveries that failed, whatever followed from it
   * @param averageTime that a delivery kept a worker; zero if there was none
   */
  public record Throughput(
      long delivered,
      long failed,
      double deliveredPerSecond,
      double failedPerSecond,
      Duration averageTime) {
    /** Nothing was done yet. */
    public static final Throughput NONE = new Throughput(0, 0, 0, 0, Duration.ZERO);

    public Throughput {
      requireNonNull(averageTime, "averageTime");
    }
  }

  /**
   * Totals since the relay was started.
   *
   * @param published messages whose transaction was committed by this process
   */
  public record Counts(
      long published,
      long delivered,
      long retried,
      long dead,
      long expired,
      long ignored,
      long settled) {
    /** Nothing has happened yet. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);
  }
}
