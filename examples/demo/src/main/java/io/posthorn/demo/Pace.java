/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Spreads messages evenly over the time of the run. Safe to share between threads. */
final class Pace {
  private final AtomicLong tickets = new AtomicLong();
  private final long begun = System.nanoTime();
  private final int rate;
  private final long end;

  /**
   * @param rate messages a second
   */
  Pace(int rate, Duration duration) {
    this.rate = rate;
    this.end = begun + duration.toNanos();
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  boolean over() {
    return System.nanoTime() - end >= 0;
  }

  /**
   * Waits until it is time for so many more messages.
   *
   * @return false if the time of the run is over
   */
  boolean await(int messages) throws InterruptedException {
    double ticket = tickets.getAndAdd(messages);
    long due = begun + (long) (ticket / rate * TimeUnit.SECONDS.toNanos(1));
    if (due - end >= 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
    return !over();
  }
}
