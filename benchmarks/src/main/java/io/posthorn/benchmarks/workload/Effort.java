/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * How much of the work a run does.
 *
 * @param messages the size of a backlog
 * @param millis how long writers write
 * @param countedFromMillis the age of the JVM from which it counts; 0: from the start of the run
 */
public record Effort(int messages, long millis, long countedFromMillis) {
  private static final Duration SHORTEST_CUT = Duration.ofSeconds(10);

  public Duration duration() {
    return Duration.ofMillis(millis);
  }

  /** How long to work before anything counts: at least so long, and to the JVM's age. */
  Duration runUp(Duration least) {
    return runUp(least, ManagementFactory.getRuntimeMXBean().getUptime());
  }

  Duration runUp(Duration least, long ageMillis) {
    return Duration.ofMillis(Math.max(least.toMillis(), countedFromMillis - ageMillis));
  }

  boolean cold() {
    return countedFromMillis > 0;
  }

  /** When a drain is cut that takes too long. */
  Duration cut() {
    return duration().compareTo(SHORTEST_CUT) < 0 ? SHORTEST_CUT : duration();
  }
}
