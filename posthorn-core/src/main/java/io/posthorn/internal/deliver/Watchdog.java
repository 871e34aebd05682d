/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/**
 * Interrupts handlers that hang, and says so. Ends what gets no answer. Sends more workers where
 * those at work do not go on.
 */
final class Watchdog implements Duty {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(10);

  private final String relay;
  private final Workers workers;
  private final AnswerCollector answers;
  private final Runnable others;
  private final Duration interval;
  private boolean waited; // watch thread only

  /**
   * @param timeLimit the shortest of all handlers
   * @param others looks after what else may hang
   */
  Watchdog(
      String relay, Workers workers, AnswerCollector answers, Duration timeLimit, Runnable others) {
    this.relay = relay;
    this.others = others;
    this.workers = workers;
    this.answers = answers;
    Duration quarter = timeLimit.dividedBy(4);
    Duration most = quarter.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : quarter;
    this.interval = most.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : most;
  }

  @Override
  public String name() {
    return "watch";
  }

  @Override
  public StepResult runOnce() {
    others.run();
    answers.expire();
    List<Workers.Hanging> hanging = workers.interruptOverdue();
    for (Workers.Hanging one : hanging) {
      LOGGER.log(
          one.stuck() ? Level.ERROR : Level.WARNING,
          one.stuck()
              ? "[{0}] handler \"{1}\" hangs with all its workers and their stand-ins; it is paused until one of them returns"
              : "[{0}] handler \"{1}\" took longer than its time limit and was interrupted; its lane waits until it returns",
          relay,
          one.handler());
    }
    if (!hanging.isEmpty()) {
      workers.start();
    }
    return new StepResult(hanging.size(), aid() ? HandlerLanes.STALLED : interval);
  }

  /** Whether to look again soon if workers that are held back are needed. */
  private boolean aid() {
    waited = workers.isHeldBack() && (!waited || workers.startHeldBack());
    return waited;
  }
}
