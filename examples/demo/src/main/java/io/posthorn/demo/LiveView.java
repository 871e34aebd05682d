/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Shows how it goes: on a terminal in one line that is written over, else in a line every other
 * second. For one thread.
 */
final class LiveView {
  private static final String HEAD =
      "   time  published/s  delivered/s    lag  retries  dead letters  partitions";
  private static final String BACK_AND_CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final boolean terminal;
  private final Duration interval;
  private Snapshot last = Snapshot.NONE;
  private boolean rowOpen;

  /**
   * The run at one moment.
   *
   * @param partitions who holds how many
   */
  record Snapshot(
      Duration elapsed,
      long published,
      long delivered,
      long retries,
      long deadLetters,
      String partitions) {
    static final Snapshot NONE = new Snapshot(Duration.ZERO, 0, 0, 0, 0, "");
  }

  LiveView(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    this.interval = Duration.ofSeconds(terminal ? 1 : 2);
  }

  void head() {
    out.println(HEAD);
  }

  /** Shows the snapshot if it is time to. */
  void show(Snapshot now) {
    Duration since = now.elapsed().minus(last.elapsed());
    if (since.compareTo(interval) >= 0) {
      print(row(now, seconds(since)));
      last = now;
    }
  }

  private String row(Snapshot now, double seconds) {
    return String.format(
        Locale.ROOT,
        "%5.1f s  %11d  %11d  %5d  %7d  %12d  %s",
        seconds(now.elapsed()),
        Math.round((now.published() - last.published()) / seconds),
        Math.round((now.delivered() - last.delivered()) / seconds),
        Math.max(0, now.published() - now.delivered() - now.deadLetters()),
        now.retries(),
        now.deadLetters(),
        now.partitions());
  }

  private void print(String row) {
    if (terminal) {
      out.print(BACK_AND_CLEAR + row);
      rowOpen = true;
    } else {
      out.println(row);
    }
    out.flush();
  }

  /** Tells what happened, in a line that stays. */
  void tell(Duration elapsed, String event) {
    line(String.format(Locale.ROOT, "%5.1f s  %s", seconds(elapsed), event));
  }

  /** Prints a line below all that was shown. */
  void line(String text) {
    if (rowOpen) {
      out.println();
      rowOpen = false;
    }
    out.println(text);
    out.flush();
  }

  static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
