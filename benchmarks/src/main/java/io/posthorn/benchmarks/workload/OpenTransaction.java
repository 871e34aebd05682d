/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.SQLException;
import java.time.Duration;

/**
 * W9: the writers at a fixed rate; then a transaction that publishes nothing, but has written,
 * stays open. The last third of its time is compared with the time before it.
 *
 * <p>Of the duration a sixteenth is run-in, three sixteenths are the time before the transaction,
 * and in the rest it is open: 5, 15 and 60 of 80 seconds.
 */
final class OpenTransaction implements Workload {
  private static final int PARTS = 16;
  private static final int PARTS_BEFORE = 3;
  private static final int PARTS_OPEN = 8;
  private static final int PARTS_AT_THE_END = 4;
  private static final double PER_SECOND = 1_500;

  private final Opening opening;

  /** How the transaction is made. */
  interface Opening {
    ForeignTransaction on(Stage stage) throws SQLException;
  }

  OpenTransaction(Opening opening) {
    this.opening = opening;
  }

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Duration part = effort.duration().dividedBy(PARTS);
    Writers writers = new Writers(stage, Steady.WRITERS);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    MeasuredPeriod before;
    MeasuredPeriod last;
    try {
      writers.run(part, PER_SECOND);
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      before = measure(stage, writers, handling, part.multipliedBy(PARTS_BEFORE));
      progress.say("%,d handled, the transaction opens".formatted(handling.count()));
      try (ForeignTransaction open = opening.on(stage)) {
        writers.run(part.multipliedBy(PARTS_OPEN), PER_SECOND);
        progress.say("%,d handled while %s is open".formatted(handling.count(), open));
        last = measure(stage, writers, handling, part.multipliedBy(PARTS_AT_THE_END));
      }
      handling.await(writers.committed().size(), Steady.CATCH_UP);
    } finally {
      stage.subject().stopRelay();
    }
    return outcome(stage, writers, handling, before, last);
  }

  private static MeasuredPeriod measure(
      Stage stage, Writers writers, Handling handling, Duration duration) throws Exception {
    return MeasuredPeriod.run(stage, writers, handling, duration, PER_SECOND);
  }

  private static Outcome outcome(
      Stage stage, Writers writers, Handling handling, MeasuredPeriod before, MeasuredPeriod last)
      throws SQLException {
    Latencies early = before.latencies(writers, handling);
    Latencies late = last.latencies(writers, handling);
    return last.perMessage()
        .addTo(Runs.judge(stage, writers, handling.log()))
        .perSecond(last.perSecond())
        .latencies(late)
        .with("beforePerSecond", before.perSecond())
        .with("beforeP50ms", early.millis(0.5))
        .with("beforeP99ms", early.millis(0.99))
        .with("p50LastToBefore", late.millis(0.5) / early.millis(0.5))
        .with("p99LastToBefore", late.millis(0.99) / early.millis(0.99))
        .with("blocksPerMessageBefore", before.blocksPerMessage())
        .with("blocksLastToBefore", last.blocksPerMessage() / before.blocksPerMessage());
  }
}
