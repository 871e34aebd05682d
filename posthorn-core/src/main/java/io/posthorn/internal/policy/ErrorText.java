/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import org.jspecify.annotations.Nullable;

/** What is stored about a failure: short, and of characters that every database takes. */
public final class ErrorText {
  private static final int MAX_CHARS = 2_000;

  private ErrorText() {}

  public static String of(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 5 && text.length() < MAX_CHARS; depth++) {
      text.append(depth == 0 ? "" : "; caused by ").append(told(cause));
      cause = causeOf(cause);
    }
    return clean(text);
  }

  /** Exceptions are the user's classes: some cannot even tell their message. */
  private static String told(Throwable failure) {
    try {
      return String.valueOf(failure);
    } catch (RuntimeException | Error e) {
      return failure.getClass().getName() + " (it has no text: its own message failed)";
    }
  }

  private static @Nullable Throwable causeOf(Throwable failure) {
    try {
      Throwable cause = failure.getCause();
      return cause == failure ? null : cause;
    } catch (RuntimeException | Error e) {
      return null;
    }
  }

  public static String clean(CharSequence text) {
    StringBuilder clean = new StringBuilder(Math.min(text.length(), MAX_CHARS));
    text.codePoints()
        .limit(MAX_CHARS)
        .map(c -> storable(c) ? c : '\uFFFD')
        .forEach(clean::appendCodePoint);
    return clean.toString();
  }

  private static boolean storable(int codePoint) {
    boolean surrogate =
        codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    return codePoint != 0 && !surrogate;
  }
}
