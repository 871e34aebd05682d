/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * W2: the relay starts on a backlog. The rate is taken from the first message to the last, so that
 * the start of a framework does not count; a slow subject is cut.
 */
final class Drain implements Workload {
  private final Backlog backlog = new Backlog();

  @Override
  public void prepare(Stage stage, Effort effort, Progress progress) throws Exception {
    backlog.fill(stage, effort.messages(), progress);
  }

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    backlog.fill(stage, effort.messages(), progress);
    return drain(stage, effort, progress);
  }

  static Outcome drain(Stage stage, Effort effort, Progress progress) throws Exception {
    Handling handling = new Handling();
    long clutter = stage.pending() - effort.messages();
    System.gc();
    heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
    ProcessorTime before = ProcessorTime.read(stage);
    long begun = System.nanoTime();
    stage.subject().startRelay(handling);
    boolean drained;
    ProcessorTime after;
    try {
      drained = await(handling, begun, effort, progress);
      after = ProcessorTime.read(stage);
    } finally {
      stage.subject().stopRelay();
    }
    NumberLog log = handling.log();
    Outcome outcome =
        Runs.judgeDrain(stage, effort.messages(), log, clutter)
            .perSecond(rate(log))
            .with("startMs", log.size() == 0 ? Double.NaN : (first(log) - begun) / 1e6)
            .with("handled", log.size())
            .with("drained", drained ? 1 : 0)
            .with("peakHeapMb", peakHeapMb());
    return log.size() == 0
        ? outcome.failing("nothing was handled in time")
        : after.perMessage(before, log.size()).addTo(outcome);
  }

  private static boolean await(Handling handling, long begun, Effort effort, Progress progress) {
    long end = begun + effort.cut().toNanos();
    while (!handling.await(effort.messages(), Duration.ofSeconds(1))) {
      progress.say("%,d of %,d handled".formatted(handling.count(), effort.messages()));
      if (System.nanoTime() > end) {
        return false;
      }
    }
    return true;
  }

  static double rate(NumberLog log) {
    long first = first(log);
    long last = Long.MIN_VALUE;
    for (int i = 0; i < log.size(); i++) {
      last = Math.max(last, log.nanos(i));
    }
    return log.size() < 2 ? 0 : (log.size() - 1) * 1e9 / (last - first);
  }

  static long first(NumberLog log) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < log.size(); i++) {
      first = Math.min(first, log.nanos(i));
    }
    return first;
  }

  private static double peakHeapMb() {
    return heapPools().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum() / 1e6;
  }

  private static Stream<MemoryPoolMXBean> heapPools() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP);
  }
}
