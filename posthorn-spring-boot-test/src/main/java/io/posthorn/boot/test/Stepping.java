/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Admin;
import io.posthorn.Posthorn;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.Ticker;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Replaces the threads of one outbox, and notes down what it does. */
final class Stepping implements DutyRunner {
  private final StepRunner steps = new StepRunner();
  private final Ticker system = Ticker.system();
  private final AtomicLong advancedNanos = new AtomicLong();
  private final Notes notes = new Notes();
  private final PassingTime time = new PassingTime();

  void applyTo(Posthorn.Builder builder) {
    builder
        .dutyRunner(this)
        .ticker(() -> system.nanos() + advancedNanos.get())
        .publishHook(notes)
        .listener(notes)
        .relay(relay -> relay.executor(Runnable::run));
  }

  Notes notes() {
    return notes;
  }

  /** Lets time pass, also for what waits in the tables. */
  void advance(Duration by, Admin admin) {
    advance(by);
    time.advance(admin, by);
  }

  /** Lets elapsed time pass: for circuits, rate limits and heartbeats. */
  void advance(Duration by) {
    advancedNanos.addAndGet(by.toNanos());
  }

  /** Runs one pass of the duty that keeps the lease. */
  void renewLease() {
    steps.step("lease");
  }

  @Override
  public RunningDuty start(Duty duty) {
    return steps.start(duty);
  }

  /**
   * Runs all duties on the calling thread until the condition holds, the time is up, or two passes
   * have found nothing to do: the first may have asked for the second.
   */
  @Override
  public boolean await(BooleanSupplier condition, Duration timeout) {
    long began = system.nanos();
    int idle = 0;
    while (!condition.getAsBoolean()) {
      if (idle == 2 || system.nanos() - began > timeout.toNanos()) {
        return false;
      }
      idle = steps.runOnce() == 0 ? idle + 1 : 0;
    }
    return true;
  }
}
