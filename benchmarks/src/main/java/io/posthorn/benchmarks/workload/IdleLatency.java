/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

/** W3: one message every 20 ms. */
final class IdleLatency implements Workload {
  private static final double PER_SECOND = 50;

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Writers writers = new Writers(stage, 1);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    double rate;
    try {
      rate = writers.run(effort.duration(), PER_SECOND);
      handling.await(writers.committed().size(), Steady.CATCH_UP);
    } finally {
      stage.subject().stopRelay();
    }
    return Runs.judge(stage, writers, handling.log())
        .perSecond(rate)
        .latencies(Latencies.between(writers.committed(), handling.log()));
  }
}
