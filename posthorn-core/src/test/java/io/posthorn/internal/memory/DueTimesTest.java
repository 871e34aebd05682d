/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DueTimesTest {
  private static final long GRAIN = 10_000_000;

  private final DueTimes times = new DueTimes();

  @Test
  void timesAreRoundedUpSoThatTheRowIsDueThen() {
    times.add(3 * GRAIN + 1);
    assertThat(times.nanosUntilNext(0, Long.MAX_VALUE)).isEqualTo(4 * GRAIN);
    assertThat(times.pollDue(4 * GRAIN - 1)).isFalse();
    assertThat(times.pollDue(4 * GRAIN)).isTrue();
    assertThat(times.pollDue(4 * GRAIN)).isFalse();
  }

  @Test
  void theEarliestTimeCountsAndThoseThatHaveComeAreForgottenTogether() {
    times.add(9 * GRAIN);
    times.add(2 * GRAIN);
    times.add(4 * GRAIN);
    assertThat(times.nanosUntilNext(GRAIN, Long.MAX_VALUE)).isEqualTo(2 * GRAIN);
    assertThat(times.pollDue(5 * GRAIN)).isTrue();
    assertThat(times.nanosUntilNext(5 * GRAIN, Long.MAX_VALUE)).isEqualTo(5 * GRAIN);
  }

  @Test
  void withoutATimeOrBeforeALateOneTheDefaultCounts() {
    assertThat(times.nanosUntilNext(0, 7)).isEqualTo(7);
    times.add(9 * GRAIN);
    assertThat(times.nanosUntilNext(0, 7)).isEqualTo(7);
    assertThat(times.nanosUntilNext(20 * GRAIN, 7)).as("it has passed").isZero();
  }

  @Test
  void theEarliestThousandAreKept() {
    for (int i = 1_001; i >= 1; i--) {
      times.add(i * GRAIN);
    }
    times.pollDue(1_000 * GRAIN);
    assertThat(times.nanosUntilNext(0, Long.MAX_VALUE)).as("the 1,000th").isEqualTo(1_001 * GRAIN);
    times.pollDue(1_001 * GRAIN);
    assertThat(times.nanosUntilNext(0, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }
}
