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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each seed is a schedule. One that breaks a promise is shrunk, and told as a story. {@code
 * -Dposthorn.test.schedules=10000} runs more of them, and {@code
 * -Dposthorn.test.without=BYTES,CUTS} leaves something out, to look for what else goes wrong.
 */
class RandomScheduleTest {
  private static final int SEEDS_PER_TEST = 50;
  private static final int ACTIONS = 600;
  private static final int SHRINKING_RUNS = 3_000;
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
      Schedule schedule = Schedule.of(seed, WITHOUT, ACTIONS);
      Truth.Problem problem = firstProblem(schedule);
      if (problem != null) {
        failures.add(
            "seed %d %s: %s".formatted(seed, schedule.plan().dimensions(), problem.text()));
        story = story.isEmpty() ? shrunkStory(schedule, problem) : story;
      }
    }
    assertThat(failures).as("the first of them: %s", story).isEmpty();
  }

  private static Truth.@Nullable Problem firstProblem(Schedule schedule) {
    ScheduleRun run = new ScheduleRun(schedule);
    run.run();
    return run.problems().stream().findFirst().orElse(null);
  }

  /** The shortest story that breaks the same promise in the same way. */
  private static String shrunkStory(Schedule failing, Truth.Problem problem) {
    Shrinker shrinker =
        new Shrinker(
            candidate -> {
              Truth.Problem found = firstProblem(candidate);
              return found != null && found.rule().equals(problem.rule());
            },
            SHRINKING_RUNS);
    Schedule shrunk = shrinker.shrink(failing);
    ScheduleRun run = new ScheduleRun(shrunk);
    run.run();
    return "\n%s\n%s\n".formatted(shrunk.plan(), String.join("\n", run.story()));
  }
}
