/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import java.time.Duration;

/**
 * Says now and then what is going on: one line that is written over on a terminal, else a new line
 * every ten seconds.
 */
final class ProgressLine {
  private static final boolean TERMINAL = Boolean.getBoolean("posthorn.bench.terminal");
  private static final long PAUSE =
      TERMINAL ? Duration.ofMillis(200).toNanos() : Duration.ofSeconds(10).toNanos();

  private long shownAt = System.nanoTime() - PAUSE;
  private int width;

  void show(String text) {
    long now = System.nanoTime();
    if (now - shownAt < PAUSE) {
      return;
    }
    shownAt = now;
    if (TERMINAL) {
      clear();
      System.err.print(text);
      System.err.flush();
      width = text.length();
    } else {
      System.err.println(text);
    }
  }

  void clear() {
    if (width > 0) {
      System.err.print("\r" + " ".repeat(width) + "\r");
      width = 0;
    }
  }
}
