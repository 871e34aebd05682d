/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.spi.Duty;
import io.posthorn.spi.StepResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Interrupts handlers that hang, and says so. */
public final class Watchdog implements Duty {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(10);

  private final String relay;
  private final Workers workers;
  private final Duration interval;

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
    return new StepResult(hanging.size(), interval);
  }
}
