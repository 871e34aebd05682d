/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.Engine;
import java.time.Duration;

/**
 * The running engine of one instance, for those who steer it. Safe to share between threads. Pauses
 * last until they are taken back or the relay stops.
 *
 * @since 0.1
 */
public final class Relay {
  private final Engine engine;

  Relay(Engine engine) {
    this.engine = engine;
  }

  /** Starts no more deliveries; those under way end. The relay keeps its partitions. */
  public void pause() {
    engine.pause(true);
  }

  /** Goes on after {@link #pause}. */
  public void resume() {
    engine.pause(false);
  }

  /**
   * Starts no more deliveries of one handler. The others go on, and if they wait for room its
   * messages are put aside.
   *
   * @throws IllegalArgumentException if there is no such handler
   */
  public void pauseHandler(String handler) {
    engine.pauseHandler(requireNonNull(handler, "handler"), true);
  }

  /**
   * Goes on after {@link #pauseHandler}.
   *
   * @throws IllegalArgumentException if there is no such handler
   */
  public void resumeHandler(String handler) {
    engine.pauseHandler(requireNonNull(handler, "handler"), false);
  }

  /** Reads no more messages of one partition; those in memory are delivered. */
  public void pausePartition(int partition) {
    engine.pausePartition(partition, true);
  }

  /** Goes on after {@link #pausePartition}. */
  public void resumePartition(int partition) {
    engine.pausePartition(partition, false);
  }

  /**
   * Waits until everything that is ready in this relay's partitions has been delivered or put off.
   * Messages that wait for a retry are not waited for.
   *
   * @return false if that was not so within the timeout
   */
  public boolean awaitIdle(Duration timeout) {
    return engine.awaitIdle(requireNonNull(timeout, "timeout"));
  }

  public RelayStatus status() {
    return engine.status();
  }
}
