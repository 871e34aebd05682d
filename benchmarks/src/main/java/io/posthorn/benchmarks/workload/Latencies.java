/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.util.Arrays;

/** How long messages took from the call of commit to the handler, in nanoseconds, ascending. */
final class Latencies {
  private final long[] sorted;

  private Latencies(long[] sorted) {
    this.sorted = sorted;
  }

  static Latencies between(NumberLog committed, NumberLog handled) {
    return between(committed, handled, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** Those of messages that were committed within a span of {@link System#nanoTime()}. */
  static Latencies between(NumberLog committed, NumberLog handled, long from, long to) {
    long highest = -1;
    for (int i = 0; i < committed.size(); i++) {
      highest = Math.max(highest, committed.number(i));
    }
    long[] asked = new long[Math.toIntExact(highest + 1)];
    for (int i = 0; i < committed.size(); i++) {
      long nanos = committed.nanos(i);
      asked[(int) committed.number(i)] = nanos >= from && nanos < to ? nanos : 0;
    }
    long[] latencies = new long[handled.size()];
    int count = 0;
    for (int i = 0; i < handled.size(); i++) {
      long number = handled.number(i);
      if (number <= highest && asked[(int) number] != 0) {
        latencies[count++] = handled.nanos(i) - asked[(int) number];
      }
    }
    long[] sorted = Arrays.copyOf(latencies, count);
    Arrays.sort(sorted);
    return new Latencies(sorted);
  }

  static Latencies of(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new Latencies(sorted);
  }

  /**
   * @param share such as 0.99
   * @return not a number if there are none
   */
  double millis(double share) {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    int index = (int) Math.ceil(share * sorted.length) - 1;
    return sorted[Math.max(0, index)] / 1e6;
  }
}
