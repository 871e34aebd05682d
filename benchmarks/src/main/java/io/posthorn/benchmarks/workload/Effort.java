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
 * @param millis how long writers write; a drain is cut after it
 */
public record Effort(int messages, long millis) {
  public Duration duration() {
    return Duration.ofMillis(millis);
  }
}
