/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other processes do. */
final class Eventually {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(10);

  private Eventually() {}

  static void holds(String claim, BooleanSupplier truth) {
    long start = System.nanoTime();
    while (!truth.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new AssertionError("Not within " + LIMIT.toSeconds() + " s: " + claim);
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }
}
