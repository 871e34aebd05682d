/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The purge of an inbox that is repeated until it is closed. Its pauses vary by a fifth, so that
 * processes which started together do not purge together.
 *
 * @since 0.1
 */
public final class InboxPurge implements AutoCloseable {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.inbox");
  private static final double JITTER = 0.2;

  private final ScheduledExecutorService thread =
      new ScheduledThreadPoolExecutor(1, InboxPurge::newThread);
  private final Inbox inbox;
  private final Duration interval;
  private final Duration age;

  private InboxPurge(Inbox inbox, Duration interval, Duration age) {
    this.inbox = inbox;
    this.interval = interval;
    this.age = age;
  }

  private static Thread newThread(Runnable task) {
    Thread made = new Thread(task, "posthorn-inbox-purge-1");
    made.setDaemon(true);
    return made;
  }

  static InboxPurge start(Inbox inbox, Duration interval, Duration age) {
    if (interval.toMillis() < 1 || age.toMillis() < 1) {
      throw new IllegalArgumentException(
          "the interval was %s and the age %s but both must be at least 1ms; nothing is purged"
              .formatted(interval, age));
    }
    InboxPurge purge = new InboxPurge(inbox, interval, age);
    purge.plan(); // the first after an interval too: many processes may start at once
    return purge;
  }

  private void plan() {
    long nanos = pause(interval, ThreadLocalRandom.current().nextDouble()).toNanos();
    try {
      ScheduledFuture<?> unused = thread.schedule(this::runOnce, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOGGER.log(Level.DEBUG, "the purge of the inbox was closed meanwhile", e);
    }
  }

  /**
   * @param chance from 0 to 1
   */
  static Duration pause(Duration interval, double chance) {
    return Duration.ofNanos((long) (interval.toNanos() * (1 + JITTER * (2 * chance - 1))));
  }

  private void runOnce() {
    try {
      inbox.purge(age);
    } catch (RuntimeException e) {
      LOGGER.log(Level.WARNING, "the inbox was not purged; it is tried again", e);
    } finally {
      plan();
    }
  }

  /** Ends the repetition; a purge under way ends with its present batch. Idempotent. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
