/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that does not work: from its first failure until all duties that met it have worked for
 * a while. Times are nanoseconds of a ticker. Not safe to share between threads.
 */
final class Outage {
  private static final long REPORT_INTERVAL = TimeUnit.MINUTES.toNanos(1);

  /** What fails again within this time had not come back. */
  private static final long STABLE = TimeUnit.SECONDS.toNanos(5);

  private final Set<String> failing = new HashSet<>();
  private final long since;
  private long worksSince;
  private int failures;
  private @Nullable Long reported;

  Outage(long since) {
    this.since = since;
    this.worksSince = since;
  }

  void failed(String duty) {
    failing.add(duty);
    failures++;
  }

  void worked(String duty, long now) {
    if (failing.remove(duty)) {
      worksSince = now;
    }
  }

  boolean isOver(long now) {
    return failing.isEmpty() && now - worksSince >= STABLE;
  }

  boolean reportDue(long now) {
    return reported == null || now - reported >= REPORT_INTERVAL;
  }

  void reportedAt(long now) {
    reported = now;
  }

  boolean wasReported() {
    return reported != null;
  }

  int failures() {
    return failures;
  }

  long lasts(long now) {
    return now - since;
  }

  /** From the first failure to the first success after the last one. */
  long lasted() {
    return worksSince - since;
  }
}
