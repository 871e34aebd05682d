/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The purge of an inbox that is repeated until it is closed.
 *
 * @since 0.1
 */
public final class InboxPurge implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger("io.posthorn.inbox");

  private final ScheduledExecutorService thread;

  private final ScheduledFuture<?> repeated;

  private InboxPurge(ScheduledExecutorService thread, ScheduledFuture<?> repeated) {
    this.thread = thread;
    this.repeated = repeated;
  }

  static InboxPurge start(Inbox inbox, Duration interval, Duration age) {
    if (interval.toMillis() < 1 || age.toMillis() < 1) {
      throw new IllegalArgumentException(
          "the interval was %s and the age %s but both must be at least 1ms; nothing is purged"
              .formatted(interval, age));
    }
    ScheduledExecutorService thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread made = new Thread(task, "posthorn-inbox-purge-1");
              made.setDaemon(true);
              return made;
            });
    // The first after an interval too: many processes may start at once.
    ScheduledFuture<?> repeated =
        thread.scheduleWithFixedDelay(
            () -> runOnce(inbox, age),
            interval.toMillis(),
            interval.toMillis(),
            TimeUnit.MILLISECONDS);
    return new InboxPurge(thread, repeated);
  }

  private static void runOnce(Inbox inbox, Duration age) {
    try {
      inbox.purge(age);
    } catch (RuntimeException e) {
      LOGGER.log(Level.WARNING, "the inbox was not purged; it is tried again", e);
    }
  }

  /** Ends the repetition; a purge under way ends with its present batch. Idempotent. */
  @Override
  public void close() {
    repeated.cancel(true);
    thread.shutdownNow();
  }
}
