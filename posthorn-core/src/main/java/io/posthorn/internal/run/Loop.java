/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.DutyRunner;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Repeats one duty on one thread: waits or is nudged, backs off after failures, stops. Nothing that
 * is thrown ends it, not even while a failure is reported. Should its thread end all the same, the
 * relay is told: it must not keep its partitions without this duty.
 */
final class Loop implements DutyRunner.RunningDuty, Runnable {
  private static final long FIRST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_BACK_OFF = TimeUnit.SECONDS.toNanos(1);

  private static final long AWAIT_STEP = TimeUnit.MILLISECONDS.toNanos(1);

  private final Duty duty;
  private final FailureLog failures;
  private final Thread thread;
  private volatile boolean nudged;
  private volatile boolean stopped;
  private long backOff; // loop thread only

  private Loop(Duty duty, FailureLog failures, ThreadFactory threads) {
    this.duty = duty;
    this.failures = failures;
    this.thread = threads.newThread(this);
  }

  /**
   * Runs each duty on a thread of its own.
   *
   * @param whenEnded called when a thread has ended that nobody had stopped
   */
  static DutyRunner onThreads(String relay, FailureLog failures, Runnable whenEnded) {
    return new OnThreads(relay, failures, whenEnded);
  }

  /** Runs a duty on a thread of the factory. */
  static Loop start(Duty duty, FailureLog failures, ThreadFactory threads, Runnable whenEnded) {
    Loop loop = new Loop(duty, failures, threads);
    Thread.UncaughtExceptionHandler log = loop.thread.getUncaughtExceptionHandler();
    loop.thread.setUncaughtExceptionHandler(
        (ended, cause) -> {
          if (!loop.stopped) {
            whenEnded.run();
          }
          log.uncaughtException(ended, cause);
        });
    loop.thread.start();
    return loop;
  }

  private record OnThreads(String relay, FailureLog failures, Runnable whenEnded)
      implements DutyRunner {
    @Override
    public RunningDuty start(Duty duty) {
      return Loop.start(duty, failures, Threads.platform(relay, duty.name()), whenEnded);
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration timeout) {
      long deadline = System.nanoTime() + timeout.toNanos();
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
          return condition.getAsBoolean();
        }
        LockSupport.parkNanos(this, AWAIT_STEP);
      }
      return true;
    }
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        turn();
      } catch (Throwable e) {
        // To say so is perhaps what has failed, for want of memory: nothing is said, nothing made.
        sleep(LONGEST_BACK_OFF);
      }
    }
  }

  private void turn() {
    nudged = false;
    StepResult result = pass();
    sleep(result.rest().toNanos());
    await(result.nextIn().minus(result.rest()).toNanos());
  }

  private StepResult pass() {
    try {
      StepResult result = duty.runOnce();
      backOff = 0;
      failures.succeeded(duty.name());
      return result;
    } catch (Throwable e) { // a duty that ended would leave its partitions without service
      if (!stopped) {
        failures.failed(duty.name(), e);
      }
      // A nudge must not shorten the back-off: publishers nudge all the time.
      backOff = Math.min(Math.max(backOff * 2, FIRST_BACK_OFF), LONGEST_BACK_OFF);
      return new StepResult(0, Duration.ZERO, Duration.ofNanos(backOff));
    }
  }

  private void await(long nanos) {
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    while (left > 0 && !nudged && !stopped) {
      LockSupport.parkNanos(this, left);
      left = deadline - System.nanoTime();
      if (Thread.interrupted()) { // nobody but stop() interrupts, and it sets the flag first
        return;
      }
    }
  }

  private void sleep(long nanos) {
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    while (left > 0 && !stopped) {
      LockSupport.parkNanos(this, left);
      left = deadline - System.nanoTime();
      if (Thread.interrupted()) {
        return;
      }
    }
  }

  @Override
  public void nudge() {
    if (!nudged) {
      nudged = true;
      LockSupport.unpark(thread);
    }
  }

  @Override
  public boolean stop(Duration timeout) {
    stopped = true;
    LockSupport.unpark(thread);
    if (Thread.currentThread() == thread) {
      return true;
    }
    try {
      thread.join(Math.max(1, timeout.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      thread.interrupt();
      return false;
    }
    return true;
  }
}
