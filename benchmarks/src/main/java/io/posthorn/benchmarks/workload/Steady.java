/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.time.Duration;

/** W1: 16 writers commit as fast as they can while the relay runs. */
final class Steady implements Workload {
  static final int WRITERS = 16;

  /** How long a relay may take for what is left when the writers end. */
  static final Duration CATCH_UP = Duration.ofSeconds(30);

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Writers writers = new Writers(stage, WRITERS);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    double commits;
    int handled;
    int backlog;
    try {
      commits = writers.run(effort.duration());
      handled = handling.count();
      backlog = writers.committed().size() - handled;
      progress.say("%,d committed, %,d handled".formatted(writers.committed().size(), handled));
      handling.await(writers.committed().size(), CATCH_UP);
    } finally {
      stage.subject().stopRelay();
    }
    return Runs.judge(stage, writers, handling.log())
        .perSecond(commits)
        .latencies(Latencies.between(writers.committed(), handling.log()))
        .with("handledPerSecond", handled * 1e3 / effort.millis())
        .with("backlogAtEnd", backlog);
  }
}
