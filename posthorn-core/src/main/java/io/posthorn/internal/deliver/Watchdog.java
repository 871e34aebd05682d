/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Interrupts handlers that hang, and says so. Sends more workers where those at work do not go on.
 */
public final class Watchdog implements Duty {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(10);

  private final String relay;
  private final Workers workers;
  private final Duration interval;
  private volatile boolean heldBack;
  private boolean waited; // watch thread only

  public Watchdog(
      String relay, Workers workers, RelayOptions options, Collection<HandlerSpec<?>> handlers) {
    this.relay = relay;
    this.workers = workers;
    Duration shortest =
        handlers.stream()
            .flatMap(spec -> spec.timeLimit().stream())
            .reduce(options.timeLimit(), Watchdog::shorter);
    Duration quarter = shorter(shortest.dividedBy(4), LONGEST_WAIT);
    this.interval = quarter.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : quarter;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  @Override
  public String name() {
    return "watch";
  }

  @Override
  public StepResult runOnce() {
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
    if (!heldBack) {
      return false;
    }
    if (!waited) {
      waited = true;
      return true;
    }
    heldBack = false;
    workers.start(); // if it still holds some back, it says so
    waited = heldBack;
    return waited;
  }

  /**
   * Lanes wait although there could be more workers.
   *
   * @return whether that is news, so that the duty is to be nudged
   */
  public boolean workersHeldBack() {
    boolean news = !heldBack;
    heldBack = true;
    return news;
  }
}
