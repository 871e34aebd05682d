/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What became of the messages of a run.
 *
 * @param lost committed, neither handled nor pending
 * @param outOfOrder first deliveries of a message after a later one of its key
 */
record Audit(long lost, long duplicated, long outOfOrder) {

  /**
   * @param committed how many messages were committed, with the numbers from 0 on
   * @param pending how many of them are still in the tables, to be handled one day
   */
  static Audit of(long committed, Numbering numbering, NumberLog handled, long pending) {
    long[] latest = new long[Order.KEYS];
    Arrays.fill(latest, -1);
    byte[] times = new byte[Math.toIntExact(committed)];
    long duplicated = 0;
    long outOfOrder = 0;
    long distinct = 0;
    for (int index : byTime(handled)) {
      int number = Math.toIntExact(handled.number(index));
      if (times[number]++ > 0) {
        duplicated++;
        continue;
      }
      distinct++;
      int key = numbering.key(number);
      if (number < latest[key]) {
        outOfOrder++;
      }
      latest[key] = Math.max(latest[key], number);
    }
    return new Audit(Math.max(0, committed - distinct - pending), duplicated, outOfOrder);
  }

  private static int[] byTime(NumberLog handled) {
    boolean sorted =
        IntStream.range(1, handled.size()).allMatch(i -> handled.nanos(i - 1) <= handled.nanos(i));
    IntStream indexes = IntStream.range(0, handled.size());
    return sorted
        ? indexes.toArray()
        : indexes
            .boxed()
            .sorted((a, b) -> Long.compare(handled.nanos(a), handled.nanos(b)))
            .mapToInt(i -> i)
            .toArray();
  }
}
