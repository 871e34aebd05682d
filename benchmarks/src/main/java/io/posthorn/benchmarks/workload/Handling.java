/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The handler of all runs: it notes number and time. */
final class Handling implements Consumer<Order> {
  private static final long LOOK_NANOS = 200_000;

  private final NumberLog log = new NumberLog();

  @Override
  public void accept(Order order) {
    log.add(order.number(), System.nanoTime());
  }

  NumberLog log() {
    return log;
  }

  int count() {
    return log.size();
  }

  /** Waits until so many messages were handled, or the time is over. */
  boolean await(long count, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (log.size() < count) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }
}
