/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminHttp;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Ends event streams before the web server waits for its requests to end, and begins to record the
 * figures of the last hour when the outboxes run.
 */
final class AdminHttpLifecycle implements SmartLifecycle {
  private final AdminHttp admin;
  private final ObjectProvider<Posthorn> outboxes;
  private volatile boolean running;

  AdminHttpLifecycle(AdminHttp admin, ObjectProvider<Posthorn> outboxes) {
    this.admin = admin;
    this.outboxes = outboxes;
  }

  @Override
  public void start() {
    admin.start();
    outboxes.forEach(outbox -> outbox.admin().fleet().recent());
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    admin.stop();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** The last to start and the first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
