/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;
import java.time.Duration;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Starts outboxes when the context is ready, and stops them before it closes its data sources.
 */
final class PosthornLifecycle implements SmartLifecycle {
  private final List<Posthorn> outboxes;
  private final boolean autoStart;
  private final Duration stopTimeout;
  private volatile boolean running;

  PosthornLifecycle(List<Posthorn> outboxes, boolean autoStart, Duration stopTimeout) {
    this.outboxes = List.copyOf(outboxes);
    this.autoStart = autoStart;
    this.stopTimeout = stopTimeout;
  }

  @Override
  public void start() {
    outboxes.forEach(Posthorn::start);
    running = true;
  }

  @Override
  public void stop() {
    outboxes.forEach(outbox -> outbox.stop(stopTimeout));
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /**
   * From Spring 7 on: a context that is set aside between tests keeps its outbox, since one that was
   * stopped is not started again.
   */
  public boolean isPauseable() {
    return false;
  }

  @Override
  public boolean isAutoStartup() {
    return autoStart;
  }
}
