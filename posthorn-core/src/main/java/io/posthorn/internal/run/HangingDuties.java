/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Reports duties that do not come back from a pass, with the place where they are: a listener or
 * another callback of the user's that hangs would stop the relay in silence. Statements cannot,
 * since they have a time limit. Safe to share between threads.
 */
public final class HangingDuties {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final int MAX_FRAMES = 20;

  private final String relay;
  private final Duration limit;
  private final Ticker ticker;
  private final OncePerMinute<String> reports;
  private final Map<String, Pass> passes = new ConcurrentHashMap<>();

  private record Pass(Thread thread, long since) {}

  /**
   * @param limit how long a pass may take
   */
  public HangingDuties(String relay, Duration limit, Ticker ticker) {
    this.relay = relay;
    this.limit = limit;
    this.ticker = ticker;
    this.reports = new OncePerMinute<>(ticker);
  }

  /** A duty begins a pass on the calling thread. */
  public void begins(String duty) {
    passes.put(duty, new Pass(Thread.currentThread(), ticker.nanos()));
  }

  public void ended(String duty) {
    passes.remove(duty);
  }

  /** Logs those that have been at it for too long, each once a minute. */
  public void report() {
    long now = ticker.nanos();
    passes.forEach(
        (duty, pass) -> {
          long lasts = now - pass.since;
          if (lasts >= limit.toNanos() && reports.count(duty).isPresent()) {
            LOGGER.log(
                Level.WARNING,
                "[{0}] duty \"{1}\" has not come back for {2} s; what it does for this relay''s partitions stands still. A listener or another callback may hang: {3}",
                relay,
                duty,
                TimeUnit.NANOSECONDS.toSeconds(lasts),
                stackOf(pass.thread));
          }
        });
  }

  private static String stackOf(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .limit(MAX_FRAMES)
        .map(frame -> System.lineSeparator() + "\tat " + frame)
        .collect(Collectors.joining());
  }
}
