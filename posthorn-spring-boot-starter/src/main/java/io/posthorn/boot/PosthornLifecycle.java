/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Starts outboxes when the context is ready, and stops them before it closes its data sources:
 * after web servers and listeners, whose last requests may still publish.
 */
final class PosthornLifecycle implements SmartLifecycle {
  /** Web servers are stopped in the 2,048 phases above. */
  private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4_096;

  private final ObjectProvider<Posthorn> outboxes;
  private final ObjectProvider<OutboxCompanion> companions;
  private final boolean autoStart;
  private final Duration stopTimeout;
  private final List<Posthorn> started = Collections.synchronizedList(new ArrayList<>());

  PosthornLifecycle(
      ObjectProvider<Posthorn> outboxes,
      ObjectProvider<OutboxCompanion> companions,
      boolean autoStart,
      Duration stopTimeout) {
    this.outboxes = outboxes;
    this.companions = companions;
    this.autoStart = autoStart;
    this.stopTimeout = stopTimeout;
  }

  @Override
  public void start() {
    outboxes.orderedStream().forEach(this::start);
  }

  private void start(Posthorn posthorn) {
    posthorn.start();
    started.add(posthorn);
    companions.forEach(companion -> companion.started(posthorn));
  }

  @Override
  public void stop() {
    for (Posthorn posthorn : List.copyOf(started)) {
      GuardedStop.each(companions, companion -> companion.stopping(posthorn));
      GuardedStop.step(() -> posthorn.stop(stopTimeout));
      started.remove(posthorn);
    }
  }

  @Override
  public boolean isRunning() {
    return !started.isEmpty();
  }

  /**
   * From Spring 7 on: a context that is set aside between tests keeps its outbox, since one that
   * was stopped is not started again.
   */
  public boolean isPauseable() {
    return false;
  }

  @Override
  public boolean isAutoStartup() {
    return autoStart;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
