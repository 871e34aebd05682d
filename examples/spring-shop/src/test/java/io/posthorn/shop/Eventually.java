/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Waits for what the shop does by itself. */
final class Eventually {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);

  private Eventually() {}

  static String holds(Callable<String> question, Predicate<String> wanted) throws Exception {
    long start = System.nanoTime();
    String answer = question.call();
    while (!wanted.test(answer)) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new AssertionError("After " + LIMIT.toSeconds() + " s it was still: " + answer);
      }
      LockSupport.parkNanos(POLL.toNanos());
      answer = question.call();
    }
    return answer;
  }
}
