/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Consumer;

/** Lets time pass: meanwhile progress is reported, and an operator unblocks lanes. */
final class AttendedSleep {
  private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(10);
  private static final Duration BETWEEN_UNBLOCKS = Duration.ofSeconds(2);

  private final Consumer<String> progress;
  private final FaultLog faults;
  private final InstanceGroup instances;
  private final long begun = now();
  private long reportedAt = begun;
  private long unblockedAt = begun;

  AttendedSleep(Consumer<String> progress, FaultLog faults, InstanceGroup instances) {
    this.progress = progress;
    this.faults = faults;
    this.instances = instances;
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  void sleep(Duration time) throws InterruptedException {
    long left = time.toMillis();
    while (left > 0) {
      long nap = Math.min(left, BETWEEN_REPORTS.toMillis());
      Thread.sleep(nap);
      left -= nap;
      unblock();
      report();
    }
  }

  private void report() {
    if (now() - reportedAt < BETWEEN_REPORTS.toMillis()) {
      return;
    }
    reportedAt = now();
    progress.accept("%d s, %d faults".formatted((reportedAt - begun) / 1_000, faults.size()));
  }

  /** Lanes that dead letters have blocked stay so until an operator deals with them. */
  private void unblock() {
    if (now() - unblockedAt < BETWEEN_UNBLOCKS.toMillis()) {
      return;
    }
    unblockedAt = now();
    try {
      instances.whoseTurnItIs(unblockedAt / BETWEEN_UNBLOCKS.toMillis()).tell(InstanceMain.UNBLOCK);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
