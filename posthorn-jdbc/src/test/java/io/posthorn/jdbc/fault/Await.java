/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other threads and processes do; a deadline that passes shows the evidence. */
public final class Await {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(5);

  private final Supplier<String> evidence;

  /**
   * @param evidence what a failure shows, such as the tables
   */
  public Await(Supplier<String> evidence) {
    this.evidence = evidence;
  }

  /** Waits until the claim is true. */
  public void until(String claim, BooleanSupplier truth) {
    long begun = System.nanoTime();
    while (!truth.getAsBoolean()) {
      if (System.nanoTime() - begun > LIMIT.toNanos()) {
        throw new AssertionError(
            "not within " + LIMIT.toSeconds() + " s: " + claim + "\n" + evidence.get());
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  /** Looks on for a while: the claim must be true all the time. */
  public void stays(String claim, Duration time, BooleanSupplier truth) {
    long begun = System.nanoTime();
    do {
      if (!truth.getAsBoolean()) {
        throw new AssertionError("no longer true: " + claim + "\n" + evidence.get());
      }
      LockSupport.parkNanos(POLL.toNanos());
    } while (System.nanoTime() - begun < time.toNanos());
  }
}
