/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;

/**
 * W5: the writers at half their rate while another session holds an old snapshot, so that nothing
 * deleted can be cleaned up. The last third is compared with the first.
 */
final class PinnedHorizon implements Workload {
  private static final Duration CALIBRATION = Duration.ofSeconds(5);
  private static final int THIRDS = 3;

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Writers writers = new Writers(stage, Steady.WRITERS);
    Handling handling = new Handling();
    stage.subject().startRelay(handling);
    Third[] thirds = new Third[THIRDS];
    try (Connection holder = stage.connect();
        Bystander bystander = Bystander.start(stage)) {
      double rate = writers.run(min(CALIBRATION, effort.duration().dividedBy(THIRDS)), 0) / 2;
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      hold(holder);
      for (int i = 0; i < THIRDS; i++) {
        thirds[i] =
            Third.run(
                stage, writers, handling, bystander, effort.duration().dividedBy(THIRDS), rate);
        progress.say("%,d handled".formatted(handling.count()));
      }
      handling.await(writers.committed().size(), Steady.CATCH_UP);
      holder.rollback();
    } finally {
      stage.subject().stopRelay();
    }
    MeasuredPeriod first = thirds[0].period;
    MeasuredPeriod last = thirds[THIRDS - 1].period;
    Latencies early = first.latencies(writers, handling);
    Latencies late = last.latencies(writers, handling);
    return last.perMessage()
        .addTo(Runs.judge(stage, writers, handling.log()))
        .perSecond(last.perSecond())
        .latencies(late)
        .with("firstPerSecond", first.perSecond())
        .with("firstP99ms", early.millis(0.99))
        .with("p99LastToFirst", late.millis(0.99) / early.millis(0.99))
        .with("blocksPerMessageFirst", first.blocksPerMessage())
        .with("blocksLastToFirst", last.blocksPerMessage() / first.blocksPerMessage())
        .with("bystanderFirstP50ms", thirds[0].bystander.millis(0.5))
        .with(
            "bystanderLastToFirst",
            thirds[THIRDS - 1].bystander.millis(0.5) / thirds[0].bystander.millis(0.5));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Takes a snapshot, and an id that keeps others from forgetting it. */
  private static void hold(Connection holder) throws Exception {
    holder.setAutoCommit(false);
    holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = holder.createStatement()) {
      statement.execute("SELECT count(*) FROM business_order");
    }
  }

  /** A period, and what a session noticed of it that reads another table. */
  private record Third(MeasuredPeriod period, Latencies bystander) {

    static Third run(
        Stage stage,
        Writers writers,
        Handling handling,
        Bystander bystander,
        Duration duration,
        double rate)
        throws Exception {
      bystander.take();
      MeasuredPeriod period = MeasuredPeriod.run(stage, writers, handling, duration, rate);
      return new Third(period, bystander.take());
    }
  }
}
