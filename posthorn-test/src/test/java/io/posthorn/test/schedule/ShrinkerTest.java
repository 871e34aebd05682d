/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.test.schedule.SchedulePlan.Dimension;
import io.posthorn.test.schedule.SchedulePlan.HandlerPlan;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private final Schedule schedule = Schedule.of(4, Set.of(), 500);
  private final Action early = schedule.actions().get(20);
  private final Action late = schedule.actions().get(450);

  @Test
  void onlyTheActionsThatMakeItFailAreLeft() {
    Shrinker shrinker =
        new Shrinker(candidate -> has(candidate, early) && has(candidate, late), 10_000);

    assertThat(shrinker.shrink(schedule).actions())
        .extracting(Action::seed)
        .containsExactly(early.seed(), late.seed());
  }

  private static boolean has(Schedule candidate, Action wanted) {
    return candidate.actions().stream().anyMatch(action -> action.seed() == wanted.seed());
  }

  @Test
  void actionsAreShallowAndSmallUnlessThatMatters() {
    Action deep =
        schedule.actions().stream()
            .filter(action -> action.depth() > 0 && action.size() > 0)
            .findFirst()
            .orElseThrow();
    Shrinker shrinker =
        new Shrinker(
            candidate ->
                candidate.actions().stream()
                    .anyMatch(action -> action.seed() == deep.seed() && action.depth() > 0),
            10_000);

    assertThat(shrinker.shrink(schedule).actions()).containsExactly(deep.withSize(0));
  }

  @Test
  void onlyTheHandlersAndDimensionsThatMakeItFailAreLeft() {
    HandlerPlan last = schedule.plan().handlers().get(schedule.plan().handlers().size() - 1);
    Dimension needed = schedule.plan().dimensions().iterator().next();
    Shrinker shrinker =
        new Shrinker(
            candidate ->
                candidate.plan().has(needed)
                    && candidate.plan().handlers().stream()
                        .anyMatch(handler -> handler.name().equals(last.name())),
            10_000);

    SchedulePlan shrunk = shrinker.shrink(schedule).plan();

    assertThat(shrunk.handlers()).extracting(HandlerPlan::name).isEqualTo(List.of(last.name()));
    assertThat(shrunk.dimensions()).containsExactly(needed);
    assertThat(shrunk.partitions()).isEqualTo(1);
  }

  @Test
  void theNumberOfRunsIsLimited() {
    AtomicInteger runs = new AtomicInteger();
    Shrinker shrinker =
        new Shrinker(
            candidate -> {
              runs.incrementAndGet();
              return has(candidate, late);
            },
            7);

    assertThat(has(shrinker.shrink(schedule), late)).isTrue();
    assertThat(runs).hasValue(7);
  }
}
