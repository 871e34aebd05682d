/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.posthorn.Admin.Survey;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes surveys at an interval, on a thread of its own rather than when somebody scrapes: so a
 * scrape never waits for the database, however slow that is, many scrapers cost no more than one,
 * and registries that push see the same values as those that are pulled.
 */
final class Surveyor implements AutoCloseable {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.micrometer");
  private static final Duration STOP = Duration.ofSeconds(5);

  private final String outbox;
  private final Supplier<Survey> source;
  private final Consumer<Survey> whenTaken;
  private final Runnable whenFailed;
  private volatile @Nullable ScheduledExecutorService thread;
  private boolean failing; // survey thread only

  Surveyor(
      String outbox, Supplier<Survey> source, Consumer<Survey> whenTaken, Runnable whenFailed) {
    this.outbox = outbox;
    this.source = source;
    this.whenTaken = whenTaken;
    this.whenFailed = whenFailed;
  }

  void start(Duration interval) {
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(this::thread);
    Future<?> unused =
        executor.scheduleWithFixedDelay(this::runOnce, 0, interval.toNanos(), NANOSECONDS);
    thread = executor;
  }

  private Thread thread(Runnable work) {
    Thread created = new Thread(work, "posthorn-" + outbox + "-survey-1");
    created.setDaemon(true);
    created.setUncaughtExceptionHandler(
        (any, e) -> LOGGER.log(Level.ERROR, "[" + outbox + "] the survey has ended", e));
    return created;
  }

  /** Takes one survey; if it fails, the last one stays. */
  void runOnce() {
    try {
      whenTaken.accept(source.get());
      failing = false;
    } catch (RuntimeException | Error e) { // the edge of the loop: else it would end silently
      whenFailed.run();
      if (!failing) {
        LOGGER.log(
            Level.WARNING,
            "[{0}] no survey for metrics: {1}. The last values stay; it is tried again, without further reports",
            outbox,
            e);
      }
      failing = true;
    }
  }

  /** Waits for a survey under way. It is not interrupted: that would close the files of an H2. */
  @Override
  public void close() {
    ScheduledExecutorService running = thread;
    if (running == null) {
      return;
    }
    running.shutdown();
    try {
      running.awaitTermination(STOP.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
