/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import io.posthorn.benchmarks.subject.SubjectDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Threads that commit transactions of one business insert and one message, as fast as they can or
 * at a rate. The numbers they commit go on from one call to the next.
 */
final class Writers {
  private final Stage stage;
  private final Numbering numbering;
  private final NumberLog committed = new NumberLog();
  private final long[] turns;

  Writers(Stage stage, int count) {
    this.stage = stage;
    this.numbering = new Numbering(count);
    this.turns = new long[count];
  }

  Numbering numbering() {
    return numbering;
  }

  /** When each message's commit was asked for. */
  NumberLog committed() {
    return committed;
  }

  /**
   * Numbers above the highest committed one, for tables by number: writers are not equally fast, so
   * some numbers below it are unused.
   */
  long numbersUsed() {
    long used = 0;
    for (int writer = 0; writer < turns.length; writer++) {
      used = Math.max(used, numbering.number(writer, turns[writer]));
    }
    return used;
  }

  /**
   * @return commits a second
   */
  double run(Duration duration) throws Exception {
    return run(duration, 0);
  }

  /**
   * @param perSecond of all writers together; 0: as fast as they can
   * @return commits a second
   */
  double run(Duration duration, double perSecond) throws Exception {
    int before = committed.size();
    long begun = System.nanoTime();
    long end = begun + duration.toNanos();
    long pause = perSecond == 0 ? 0 : (long) (turns.length * 1e9 / perSecond);
    ExecutorService threads = Executors.newFixedThreadPool(turns.length);
    try {
      List<Future<?>> writing =
          IntStream.range(0, turns.length)
              .<Future<?>>mapToObj(writer -> threads.submit(() -> write(writer, begun, end, pause)))
              .toList();
      for (Future<?> writer : writing) {
        writer.get(duration.toSeconds() + 60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    return (committed.size() - before) * 1e9 / (System.nanoTime() - begun);
  }

  private boolean write(int writer, long begun, long end, long pause) throws Exception {
    long due = begun + pause * writer / turns.length;
    while (true) {
      for (long wait = due - System.nanoTime(); pause > 0 && wait > 0; ) {
        LockSupport.parkNanos(wait);
        wait = due - System.nanoTime();
      }
      due += pause;
      if (System.nanoTime() >= end) {
        return true;
      }
      Order order = numbering.order(writer, turns[writer]++);
      stage.subject().transact(Stage.business(order.number()), List.of(order));
      committed.add(order.number(), SubjectDatabase.commitAsked());
    }
  }
}
