/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What of a failure can be logged: its messages could have some of a payload. */
public final class FailureTrace {
  private static final int MAX_CAUSES = 5;

  private FailureTrace() {}

  /** The class and the place of it and of its causes. */
  public static List<String> of(Throwable failure) {
    List<String> causes = new ArrayList<>();
    @Nullable Throwable cause = failure;
    while (cause != null && causes.size() < MAX_CAUSES) {
      StackTraceElement[] trace = cause.getStackTrace();
      causes.add(cause.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]));
      cause = cause.getCause();
    }
    return causes;
  }
}
