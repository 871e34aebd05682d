/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import java.time.Instant;

/**
 * Writes times as {@link Instant#toString} does, in a fraction of its time: messages that follow
 * each other mostly have the second in common. Safe to share between threads.
 */
final class TimeText {
  private static final int MILLI = 1_000_000;
  private static final int MICRO = 1_000;

  private volatile Second last = Second.of(0);

  /**
   * @param text without what follows the seconds
   */
  private record Second(long epochSecond, String text) {
    static Second of(long epochSecond) {
      String text = Instant.ofEpochSecond(epochSecond).toString();
      return new Second(epochSecond, text.substring(0, text.length() - 1));
    }
  }

  String of(Instant time) {
    Second second = last;
    if (second.epochSecond != time.getEpochSecond()) {
      second = Second.of(time.getEpochSecond());
      last = second;
    }
    return second.text + fraction(time.getNano()) + 'Z';
  }

  private static String fraction(int nanos) {
    if (nanos == 0) {
      return "";
    }
    if (nanos % MILLI == 0) {
      return digits(1_000 + nanos / MILLI);
    }
    return nanos % MICRO == 0 ? digits(1_000_000 + nanos / MICRO) : digits(1_000_000_000 + nanos);
  }

  /** All but the first digit, which keeps the zeros. */
  private static String digits(int number) {
    return '.' + Integer.toString(number).substring(1);
  }
}
