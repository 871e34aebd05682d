/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.InboxPurge;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Opens inboxes before the first listener starts and after migrations have run, and purges them
 * until the last listener has stopped.
 */
final class InboxLifecycle implements SmartLifecycle {
  /** Listeners and web servers are in the 2,048 phases above. */
  private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4_096;

  private final ObjectProvider<Inbox> inboxes;
  private final PosthornProperties.Inbox settings;
  private final List<InboxPurge> purges = new ArrayList<>(); // guarded by this context's lifecycle
  private volatile boolean running;

  InboxLifecycle(ObjectProvider<Inbox> inboxes, PosthornProperties.Inbox settings) {
    this.inboxes = inboxes;
    this.settings = settings;
  }

  @Override
  public void start() {
    running = true;
    for (Inbox inbox : inboxes.orderedStream().toList()) {
      inbox.open();
      purges.add(inbox.purgeEvery(settings.purgeInterval(), settings.retention()));
    }
  }

  @Override
  public void stop() {
    GuardedStop.eachOnce(purges, InboxPurge::close);
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
