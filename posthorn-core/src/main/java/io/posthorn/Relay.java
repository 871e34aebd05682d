/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.Engine;
import java.time.Duration;

/**
 * The running engine of one instance, for those who steer it. Safe to share between threads. What
 * concerns the whole fleet is done by {@link Admin}.
 *
 * @since 0.1
 */
public final class Relay {
  private final Engine engine;

  Relay(Engine engine) {
    this.engine = engine;
  }

  /**
   * Starts no more deliveries; those under way end. The relay keeps its partitions. For this
   * process only, and it ends with the process; {@link Admin} pauses a handler or a partition for
   * all, until it is resumed.
   */
  public void pause() {
    engine.pause(true);
  }

  /** Goes on after {@link #pause}. */
  public void resume() {
    engine.pause(false);
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
