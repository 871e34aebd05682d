/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

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
    Latencies first = thirds[0].latencies(writers, handling);
    Latencies last = thirds[THIRDS - 1].latencies(writers, handling);
    return Runs.judge(stage, writers, handling.log())
        .perSecond(thirds[THIRDS - 1].perSecond)
        .latencies(last)
        .with("firstPerSecond", thirds[0].perSecond)
        .with("firstP99ms", first.millis(0.99))
        .with("p99LastToFirst", last.millis(0.99) / first.millis(0.99))
        .with("blocksPerMessageFirst", thirds[0].blocksPerMessage)
        .with("blocksLastToFirst", thirds[THIRDS - 1].blocksPerMessage / thirds[0].blocksPerMessage)
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

  private record Third(
      long from, long to, double perSecond, double blocksPerMessage, Latencies bystander) {

    static Third run(
        Stage stage,
        Writers writers,
        Handling handling,
        Bystander bystander,
        Duration duration,
        double rate)
        throws Exception {
      bystander.take();
      ServerStatistics before = ServerStatistics.read(stage);
      int handledBefore = handling.count();
      long from = System.nanoTime();
      double commits = writers.run(duration, rate);
      long to = System.nanoTime();
      TimeUnit.SECONDS.sleep(1); // the server publishes its counters once a second
      ServerStatistics spent = ServerStatistics.read(stage).since(before);
      return new Third(
          from, to, commits, spent.blocks() / (handling.count() - handledBefore), bystander.take());
    }

    Latencies latencies(Writers writers, Handling handling) {
      return Latencies.between(writers.committed(), handling.log(), from, to);
    }
  }
}
