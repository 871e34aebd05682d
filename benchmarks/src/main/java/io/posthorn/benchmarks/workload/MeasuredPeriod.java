/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A period in which writers wrote, with what it cost the server.
 *
 * @param from in {@link System#nanoTime()}, as the next
 * @param perSecond commits
 * @param blocksPerMessage touched by everybody, writers included, for each message handled
 * @param perMessage processor time for each message handled
 */
record MeasuredPeriod(
    long from, long to, double perSecond, double blocksPerMessage, ProcessorTime perMessage) {

  /**
   * @param rate of all writers together, in commits a second
   */
  static MeasuredPeriod run(
      Stage stage, Writers writers, Handling handling, Duration duration, double rate)
      throws Exception {
    ServerStatistics before = ServerStatistics.read(stage);
    ProcessorTime processorBefore = ProcessorTime.read(stage);
    int handledBefore = handling.count();
    long from = System.nanoTime();
    double commits = writers.run(duration, rate);
    long to = System.nanoTime();
    ProcessorTime processor = ProcessorTime.read(stage);
    TimeUnit.SECONDS.sleep(1); // the server publishes its counters once a second
    ServerStatistics spent = ServerStatistics.read(stage).since(before);
    int handled = handling.count() - handledBefore;
    return new MeasuredPeriod(
        from,
        to,
        commits,
        spent.blocks() / handled,
        processor.perMessage(processorBefore, handled));
  }

  Latencies latencies(Writers writers, Handling handling) {
    return Latencies.between(writers.committed(), handling.log(), from, to);
  }
}
