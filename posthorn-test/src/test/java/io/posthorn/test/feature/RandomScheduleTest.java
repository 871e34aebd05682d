/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RandomScheduleTest {
  private static final int SEEDS = 50;

  /** Each of these mistakes was found by it: see docs/why/0005 and 0006. */
  @ParameterizedTest
  @ValueSource(longs = {0, 100, 200})
  void lanesStayInOrderHoweverDutiesAndDeliveriesAreInterleaved(long from) {
    for (long seed = from; seed < from + SEEDS; seed++) {
      RandomSchedule schedule = new RandomSchedule(seed);
      schedule.run(1_000);

      assertThat(schedule.disorder())
          .as("seed %d: %s", seed, String.join("\n", schedule.story()))
          .isEmpty();
      assertThat(schedule.missing()).as("seed %d, never delivered", seed).isEmpty();
    }
  }
}
