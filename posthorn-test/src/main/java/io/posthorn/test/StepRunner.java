/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * Runs the duties of a relay on the calling thread, a pass at a time, so that a test needs no
 * waiting. Duties that listen to other processes are left out. Give each relay a runner of its own,
 * and run handlers on the calling thread too:
 *
 * <pre>{@code
 * StepRunner steps = new StepRunner();
 * Posthorn.inOneProcess(store, transactions).dutyRunner(steps).relay(relay -> relay.executor(Runnable::run)) ...
 * steps.drain();
 * }</pre>
 *
 * @since 0.1
 */
public final class StepRunner implements DutyRunner {
  /**
   * More passes than any test needs: a relay that is still at work then is going round in circles.
   */
  private static final int MOST_PASSES = 100_000;

  private final List<Running> duties = new CopyOnWriteArrayList<>();

  private final class Running implements RunningDuty {
    private final Duty duty;

    Running(Duty duty) {
      this.duty = duty;
    }

    @Override
    public void nudge() {}

    @Override
    public boolean stop(Duration timeout) {
      duties.remove(this);
      return true;
    }
  }

  @Override
  public RunningDuty start(Duty duty) {
    Running running = new Running(duty);
    if (!duty.name().equals("wake")) {
      duties.add(running);
    }
    return running;
  }

  /**
   * Runs one pass of a duty.
   *
   * @return how many things it moved on
   */
  public int step(String name) {
    int done = 0;
    for (Running running : duties) {
      if (running.duty.name().equals(name)) {
        done += running.duty.runOnce().done();
      }
    }
    return done;
  }

  /**
   * Runs one pass of every duty.
   *
   * @return how many things were moved on
   */
  public int runOnce() {
    int done = 0;
    for (Running running : duties) {
      done += running.duty.runOnce().done();
    }
    return done;
  }

  /**
   * Runs all duties until none of them has anything to do. What is not due yet is not waited for.
   */
  public void drain() {
    for (int pass = 0; pass < MOST_PASSES; pass++) {
      if (runOnce() == 0) {
        return;
      }
    }
    throw new AssertionError("the relay was still at work after " + MOST_PASSES + " passes");
  }

  /** Runs all duties until the condition holds, or until none of them has anything to do. */
  @Override
  public boolean await(BooleanSupplier condition, Duration timeout) {
    for (int pass = 0; pass < MOST_PASSES && !condition.getAsBoolean(); pass++) {
      if (runOnce() == 0 && !condition.getAsBoolean()) {
        // One more round: a pass may have asked for another, as a sweep does.
        return runOnce() > 0 ? await(condition, timeout) : condition.getAsBoolean();
      }
    }
    return condition.getAsBoolean();
  }
}
