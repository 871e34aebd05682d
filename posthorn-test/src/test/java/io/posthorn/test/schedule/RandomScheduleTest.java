/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.test.schedule.SchedulePlan.Dimension;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each seed is a schedule. {@code -Dposthorn.test.schedules=10000} runs more of them, and {@code
 * -Dposthorn.test.without=BYTES,CUTS} leaves something out, to look for what else goes wrong.
 */
class RandomScheduleTest {
  private static final int SEEDS_PER_TEST = 50;
  private static final int ACTIONS = 400;
  private static final int LAST_EVENTS = 150;
  private static final Logger LOG = Logger.getLogger("io.posthorn");

  private static final int SEEDS = Integer.getInteger("posthorn.test.schedules", 200);
  private static final Set<Dimension> WITHOUT =
      Stream.of(System.getProperty("posthorn.test.without", "").split(","))
          .filter(name -> !name.isEmpty())
          .map(Dimension::valueOf)
          .collect(Collectors.toSet());

  private final List<String> failures = new ArrayList<>();
  private String story = "";

  static LongStream firstSeeds() {
    return LongStream.range(0, SEEDS).filter(seed -> seed % SEEDS_PER_TEST == 0);
  }

  @BeforeAll
  static void hush() {
    LOG.setLevel(Level.OFF); // thousands of relays come and go
  }

  @AfterAll
  static void speak() {
    LOG.setLevel(null);
  }

  @ParameterizedTest
  @MethodSource("firstSeeds")
  void promisesHoldHoweverDutiesAndDeliveriesAreInterleaved(long first) {
    for (long seed = first; seed < Math.min(SEEDS, first + SEEDS_PER_TEST); seed++) {
      RandomSchedule schedule = new RandomSchedule(seed, WITHOUT);
      schedule.run(ACTIONS);
      if (!schedule.problems().isEmpty()) {
        note(seed, schedule);
      }
    }
    assertThat(failures).as("the first of them: %s", story).isEmpty();
  }

  /** Only the first problem counts: whatever is under way then is cut short. */
  private void note(long seed, RandomSchedule schedule) {
    failures.add(
        "seed %d %s: %s".formatted(seed, schedule.plan().dimensions(), schedule.problems().get(0)));
    if (story.isEmpty()) {
      List<String> events = schedule.story();
      story =
          schedule.plan()
              + "\n"
              + String.join(
                  "\n", events.subList(Math.max(0, events.size() - LAST_EVENTS), events.size()))
              + "\n";
    }
  }
}
