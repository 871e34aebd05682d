/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** The threads of one relay, by name. */
final class RelayThreads {
  private RelayThreads() {}

  static List<String> of(String relay) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("posthorn-" + relay + "-"))
        .sorted()
        .toList();
  }

  /** Threads that were told to end may take a moment. */
  static void assertNone(String relay) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!of(relay).isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(of(relay)).isEmpty();
  }
}
