/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.time.Duration;

/**
 * W3: one message every 20 ms. Before that, as many as come in a short time: a relay that has just
 * started, on code that was hardly run, is not what is idle in production. Cold: nothing before
 * that.
 */
final class IdleLatency implements Workload {
  private static final double PER_SECOND = 50;
  private static final Duration LONGEST_RUN_IN = Duration.ofSeconds(3);

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Writers writers = new Writers(stage, 1);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    double rate;
    int committedBefore;
    long begun;
    ProcessorTime before;
    ProcessorTime after;
    try {
      runIn(writers, effort);
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      before = ProcessorTime.read(stage);
      committedBefore = writers.committed().size();
      begun = System.nanoTime();
      rate = writers.run(effort.duration(), PER_SECOND);
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      after = ProcessorTime.read(stage);
    } finally {
      stage.subject().stopRelay();
    }
    Outcome outcome =
        Runs.judge(stage, writers, handling.log())
            .perSecond(rate)
            .latencies(
                Latencies.between(writers.committed(), handling.log(), begun, Long.MAX_VALUE));
    int messages = writers.committed().size() - committedBefore;
    return after.perMessage(before, messages).addTo(outcome);
  }

  private static void runIn(Writers writers, Effort effort) throws Exception {
    if (effort.cold()) {
      writers.run(effort.runUp(Duration.ZERO), PER_SECOND);
      return;
    }
    Duration part = effort.duration().dividedBy(4);
    writers.run(part.compareTo(LONGEST_RUN_IN) < 0 ? part : LONGEST_RUN_IN);
  }
}
