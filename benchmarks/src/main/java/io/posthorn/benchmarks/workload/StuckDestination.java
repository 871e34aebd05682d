/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Subject;
import java.time.Duration;

/**
 * W10: 16 writers commit as fast as they can; then one key in twelve goes to a destination that
 * does not answer. What the others get through is compared with what they got before. The stuck
 * ones are delivered at the end.
 *
 * <p>Of the duration a tenth is run-in, four tenths are the time before, half is the time with the
 * stuck destination, from its first message on.
 */
final class StuckDestination implements Workload {
  private static final int PARTS = 10;
  private static final int PARTS_BEFORE = 4;
  private static final int PARTS_STUCK = 5;
  private static final Duration CATCH_UP = Duration.ofMinutes(3);

  /** What was handled while writers wrote. */
  private record Phase(int handled, long from, long to) {
    double perSecond() {
      return handled * 1e9 / (to - from);
    }
  }

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Duration part = effort.duration().dividedBy(PARTS);
    Writers writers = new Writers(stage, Steady.WRITERS);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    Phase before;
    Phase stuck;
    try {
      writers.run(part);
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      before = write(writers, handling, part.multipliedBy(PARTS_BEFORE));
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      stage.subject().stick(true);
      stuck = write(writers, handling, part.multipliedBy(PARTS_STUCK));
      progress.say("%,d handled, %,d left".formatted(handling.count(), stage.pending()));
      stage.subject().stick(false);
      handling.await(writers.committed().size(), CATCH_UP);
    } finally {
      stage.subject().stopRelay();
    }
    double healthyBefore = before.perSecond() * (Subject.STUCK_ONE_IN - 1) / Subject.STUCK_ONE_IN;
    Latencies late =
        Latencies.between(writers.committed(), handling.log(), stuck.from(), stuck.to());
    Latencies early =
        Latencies.between(writers.committed(), handling.log(), before.from(), before.to());
    return Runs.judge(stage, writers, handling.log())
        .perSecond(stuck.perSecond())
        .with("healthyBeforePerSecond", healthyBefore)
        .with("healthyStuckToBefore", stuck.perSecond() / healthyBefore)
        .with("beforeP50ms", early.millis(0.5))
        .with("stuckP50ms", late.millis(0.5));
  }

  private static Phase write(Writers writers, Handling handling, Duration duration)
      throws Exception {
    int handledBefore = handling.count();
    long from = System.nanoTime();
    writers.run(duration);
    long to = System.nanoTime();
    return new Phase(handling.count() - handledBefore, from, to);
  }
}
