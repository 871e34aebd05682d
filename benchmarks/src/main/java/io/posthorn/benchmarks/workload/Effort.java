/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.time.Duration;

/**
 * How much of the work a run does.
 *
 * @param messages the size of a backlog
 * @param millis how long writers write
 */
public record Effort(int messages, long millis) {
  private static final Duration SHORTEST_CUT = Duration.ofSeconds(10);

  public Duration duration() {
    return Duration.ofMillis(millis);
  }

  /** When a drain is cut that takes too long. */
  Duration cut() {
    return duration().compareTo(SHORTEST_CUT) < 0 ? SHORTEST_CUT : duration();
  }
}
