/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {
  @Test
  void percentilesAreTakenFromCommitToHandler() {
    NumberLog committed = new NumberLog();
    NumberLog handled = new NumberLog();
    for (int number = 0; number < 100; number++) {
      committed.add(number, 1_000 + number);
      handled.add(number, 1_000 + number + (number + 1) * 1_000_000L);
    }
    Latencies latencies = Latencies.between(committed, handled);
    assertThat(latencies.millis(0.5)).isEqualTo(50);
    assertThat(latencies.millis(0.99)).isEqualTo(99);
    assertThat(latencies.millis(1)).isEqualTo(100);
  }

  @Test
  void onlyCommitsOfTheSpanCount() {
    NumberLog committed = new NumberLog();
    NumberLog handled = new NumberLog();
    committed.add(0, 100);
    committed.add(1, 200);
    committed.add(2, 300);
    handled.add(0, 1_000_100);
    handled.add(1, 2_000_200);
    handled.add(2, 3_000_300);
    assertThat(Latencies.between(committed, handled, 200, 300).millis(1)).isEqualTo(2);
  }

  @Test
  void nothingHandledIsNoNumber() {
    assertThat(Latencies.between(new NumberLog(), new NumberLog()).millis(0.5)).isNaN();
  }
}
