/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.time.Duration;

/** W1: 16 writers commit as fast as they can while the relay runs. */
final class Steady implements Workload {
  static final int WRITERS = 16;

  /** Before anything counts, so that the start of a relay is not measured. */
  private static final Duration RUN_UP = Duration.ofSeconds(1);

  /** How long a relay may take for what is left when the writers end. */
  static final Duration CATCH_UP = Duration.ofSeconds(30);

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Writers writers = new Writers(stage, WRITERS);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    long begun;
    long ended;
    double commits;
    int handled;
    int backlog;
    ProcessorTime before;
    ProcessorTime after;
    try {
      writers.run(effort.runUp(RUN_UP));
      handling.await(writers.committed().size(), CATCH_UP);
      int handledBefore = handling.count();
      before = ProcessorTime.read(stage);
      begun = System.nanoTime();
      commits = writers.run(effort.duration());
      ended = System.nanoTime();
      after = ProcessorTime.read(stage);
      handled = handling.count() - handledBefore;
      backlog = writers.committed().size() - handling.count();
      progress.say("%,d handled, %,d left".formatted(handled, backlog));
      handling.await(writers.committed().size(), CATCH_UP);
    } finally {
      stage.subject().stopRelay();
    }
    Outcome outcome =
        Runs.judge(stage, writers, handling.log())
            .perSecond(commits)
            .latencies(Latencies.between(writers.committed(), handling.log(), begun, ended))
            .with("handledPerSecond", handled * 1e9 / (ended - begun))
            .with("backlogAtEnd", backlog);
    return after.perMessage(before, handled).addTo(outcome);
  }
}
