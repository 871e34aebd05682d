/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a relay, {@code posthorn.relay.*} in configuration. Each method without a
 * parameter tells a setting, the one with a parameter sets it. Not safe to share between threads; a
 * relay reads it once, when it is built.
 *
 * @since 0.1
 */
public final class RelayOptions {
  private @Nullable String name;
  private @Nullable String applicationVersion;
  private Duration leaseDuration = Duration.ofSeconds(30);
  private Duration heartbeatInterval = Duration.ofSeconds(5);
  private @Nullable Duration pollInterval;
  private @Nullable Duration busyPollInterval;
  private boolean signals = true;
  private Duration lookBack = Duration.ofSeconds(10);
  private Duration sweepInterval = Duration.ofSeconds(10);
  private Duration lateAfter = Duration.ofSeconds(5);
  private Duration unknownTypeGrace = Duration.ofHours(1);
  private Duration startupDelay = Duration.ZERO;
  private Duration stopTimeout = Duration.ofSeconds(30);
  private Duration retention = Duration.ZERO;
  private int windowMessages = 5_000;
  private long windowBytes = 32L * 1024 * 1024;
  private int settleBatch = 1_000;
  private int workers = 16;
  private boolean virtualThreads;
  private @Nullable Executor executor;
  private RetryPolicy retry = RetryPolicy.standard();
  private Duration timeLimit = Duration.ofMinutes(10);
  private Duration probeInterval = Duration.ofSeconds(1);
  private int crashAttempts = 3;
  private final Map<String, RetryPolicy> retryByType = new HashMap<>();

  RelayOptions() {}

  RelayOptions copy() {
    RelayOptions copy = new RelayOptions();
    copy.name = name;
    copy.applicationVersion = applicationVersion;
    copy.leaseDuration = leaseDuration;
    copy.heartbeatInterval = heartbeatInterval;
    copy.pollInterval = pollInterval;
    copy.busyPollInterval = busyPollInterval;
    copy.signals = signals;
    copy.lookBack = lookBack;
    copy.sweepInterval = sweepInterval;
    copy.lateAfter = lateAfter;
    copy.unknownTypeGrace = unknownTypeGrace;
    copy.startupDelay = startupDelay;
    copy.stopTimeout = stopTimeout;
    copy.retention = retention;
    copy.windowMessages = windowMessages;
    copy.windowBytes = windowBytes;
    copy.settleBatch = settleBatch;
    copy.workers = workers;
    copy.virtualThreads = virtualThreads;
    copy.executor = executor;
    copy.retry = retry;
    copy.timeLimit = timeLimit;
    copy.probeInterval = probeInterval;
    copy.crashAttempts = crashAttempts;
    copy.retryByType.putAll(retryByType);
    return copy;
  }

  /** Null: host name and process id. */
  public @Nullable String name() {
    return name;
  }

  /** Names the relay in logs and in the instance table; at most 100 characters. */
  public RelayOptions name(String name) {
    this.name = requireNonNull(name, "name");
    return this;
  }

  /** Null: it is not told. */
  public @Nullable String applicationVersion() {
    return applicationVersion;
  }

  /**
   * The version of the application that runs the relay, so that operators see which instances have
   * been deployed; at most 100 characters.
   */
  public RelayOptions applicationVersion(String applicationVersion) {
    this.applicationVersion = requireNonNull(applicationVersion, "applicationVersion");
    return this;
  }

  public Duration leaseDuration() {
    return leaseDuration;
  }

  /** How long a heartbeat is good for; after that other relays take this one's partitions. */
  public RelayOptions leaseDuration(Duration leaseDuration) {
    this.leaseDuration = requireNonNull(leaseDuration, "leaseDuration");
    return this;
  }

  public Duration heartbeatInterval() {
    return heartbeatInterval;
  }

  /** At most a third of the lease duration. */
  public RelayOptions heartbeatInterval(Duration heartbeatInterval) {
    this.heartbeatInterval = requireNonNull(heartbeatInterval, "heartbeatInterval");
    return this;
  }

  /**
   * The same settings for a relay that no other process can send signals to: it polls more often,
   * unless intervals were set.
   */
  public RelayOptions withoutSignals() {
    RelayOptions copy = copy();
    copy.signals = false;
    return copy;
  }

  public Duration pollInterval() {
    if (pollInterval != null) {
      return pollInterval;
    }
    if (signals) {
      return Duration.ofSeconds(1);
    }
    Duration usual = Duration.ofMillis(500);
    return usual.compareTo(busyPollInterval()) < 0 ? busyPollInterval() : usual;
  }

  /**
   * How often an idle relay looks for messages that nobody told it of. By default 1 s, and 500 ms
   * where other processes can send no signals.
   */
  public RelayOptions pollInterval(Duration pollInterval) {
    this.pollInterval = requireNonNull(pollInterval, "pollInterval");
    return this;
  }

  public Duration busyPollInterval() {
    if (busyPollInterval != null) {
      return busyPollInterval;
    }
    return Duration.ofMillis(signals ? 50 : 20);
  }

  /**
   * The same just after it was busy; it grows to the poll interval while nothing comes. By default
   * 50 ms, and 20 ms where other processes can send no signals.
   */
  public RelayOptions busyPollInterval(Duration busyPollInterval) {
    this.busyPollInterval = requireNonNull(busyPollInterval, "busyPollInterval");
    return this;
  }

  public Duration lookBack() {
    return lookBack;
  }

  /**
   * How far reads look back, at the most, for rows of transactions that are slow to commit. On
   * PostgreSQL the relay sees when those have ended, and looks back no further than needed.
   */
  public RelayOptions lookBack(Duration lookBack) {
    this.lookBack = requireNonNull(lookBack, "lookBack");
    return this;
  }

  public Duration sweepInterval() {
    return sweepInterval;
  }

  /**
   * How often all is read from the beginning, for rows that became visible even later. While there
   * is no sign of such rows it is one partition after the other.
   */
  public RelayOptions sweepInterval(Duration sweepInterval) {
    this.sweepInterval = requireNonNull(sweepInterval, "sweepInterval");
    return this;
  }

  public Duration lateAfter() {
    return lateAfter;
  }

  /**
   * After this time a handler that is not done no longer keeps a message, or the window, from the
   * others.
   */
  public RelayOptions lateAfter(Duration lateAfter) {
    this.lateAfter = requireNonNull(lateAfter, "lateAfter");
    return this;
  }

  public Duration unknownTypeGrace() {
    return unknownTypeGrace;
  }

  /**
   * How long a message of a type that no live instance handles is kept before it becomes a dead
   * letter.
   */
  public RelayOptions unknownTypeGrace(Duration unknownTypeGrace) {
    this.unknownTypeGrace = requireNonNull(unknownTypeGrace, "unknownTypeGrace");
    return this;
  }

  public Duration startupDelay() {
    return startupDelay;
  }

  /** How long after the start the relay waits before it takes partitions. */
  public RelayOptions startupDelay(Duration startupDelay) {
    this.startupDelay = requireNonNull(startupDelay, "startupDelay");
    return this;
  }

  public Duration stopTimeout() {
    return stopTimeout;
  }

  /**
   * How long {@link Posthorn#close} waits for deliveries under way; after that they are
   * interrupted.
   */
  public RelayOptions stopTimeout(Duration stopTimeout) {
    this.stopTimeout = requireNonNull(stopTimeout, "stopTimeout");
    return this;
  }

  public Duration retention() {
    return retention;
  }

  /**
   * How long delivered messages are kept in the history; zero: not at all. Dead letters are kept
   * until a person deals with them, whatever this says.
   */
  public RelayOptions retention(Duration retention) {
    this.retention = requireNonNull(retention, "retention");
    return this;
  }

  public int windowMessages() {
    return windowMessages;
  }

  /** How many messages are in memory at once. */
  public RelayOptions windowMessages(int windowMessages) {
    this.windowMessages = windowMessages;
    return this;
  }

  public long windowBytes() {
    return windowBytes;
  }

  /**
   * How many bytes of payload are in memory at once, about: a read is sized by the payloads of the
   * one before.
   */
  public RelayOptions windowBytes(long windowBytes) {
    this.windowBytes = windowBytes;
    return this;
  }

  public int settleBatch() {
    return settleBatch;
  }

  /** How many outcomes are stored in one transaction, at the most. */
  public RelayOptions settleBatch(int settleBatch) {
    this.settleBatch = settleBatch;
    return this;
  }

  public int workers() {
    return workers;
  }

  /**
   * How many deliveries of one handler run at once, at the most, unless the handler says otherwise.
   */
  public RelayOptions workers(int workers) {
    this.workers = workers;
    return this;
  }

  public boolean virtualThreads() {
    return virtualThreads;
  }

  /** Runs handlers on virtual threads; needs Java 21. The limits on concurrency stay. */
  public RelayOptions virtualThreads(boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
    return this;
  }

  /** Null: the relay's own threads. */
  public @Nullable Executor executor() {
    return executor;
  }

  /** Runs handlers on the caller's executor, which the caller stops, after the relay. */
  public RelayOptions executor(Executor executor) {
    this.executor = requireNonNull(executor, "executor");
    return this;
  }

  public RetryPolicy retry() {
    return retry;
  }

  /** The retry policy of handlers and types that have none of their own. */
  public RelayOptions retry(RetryPolicy retry) {
    this.retry = requireNonNull(retry, "retry");
    return this;
  }

  public Duration timeLimit() {
    return timeLimit;
  }

  /** After this time a delivery is interrupted and fails, unless its handler has its own limit. */
  public RelayOptions timeLimit(Duration timeLimit) {
    this.timeLimit = requireNonNull(timeLimit, "timeLimit");
    return this;
  }

  public Duration probeInterval() {
    return probeInterval;
  }

  /** How often a handler whose destination is down is tried with a single message. */
  public RelayOptions probeInterval(Duration probeInterval) {
    this.probeInterval = requireNonNull(probeInterval, "probeInterval");
    return this;
  }

  public int crashAttempts() {
    return crashAttempts;
  }

  /**
   * How often a message may be under way, alone, when the process ends, before it becomes a dead
   * letter.
   */
  public RelayOptions crashAttempts(int crashAttempts) {
    this.crashAttempts = crashAttempts;
    return this;
  }

  /** The retry policies of types that have one of their own. */
  public Map<String, RetryPolicy> retryByType() {
    return Map.copyOf(retryByType);
  }

  /**
   * The retry policy of a type, for handlers that have none of their own.
   *
   * @param type as it is delivered, if it has an older name too
   */
  public RelayOptions retry(String type, RetryPolicy retry) {
    retryByType.put(requireNonNull(type, "type"), requireNonNull(retry, "retry"));
    return this;
  }
}
