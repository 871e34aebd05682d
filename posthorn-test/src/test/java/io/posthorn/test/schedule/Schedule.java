/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.test.schedule.SchedulePlan.Dimension;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What happens in a run.
 *
 * @param actions in the order in which they happen
 */
record Schedule(SchedulePlan plan, List<Action> actions) {
  /**
   * @param without what is not to happen
   */
  static Schedule of(long seed, Set<Dimension> without, int length) {
    Random random = new Random(seed);
    SchedulePlan plan = SchedulePlan.of(random, without);
    return new Schedule(plan, Stream.generate(() -> Action.any(random)).limit(length).toList());
  }

  Schedule withPlan(SchedulePlan other) {
    return new Schedule(other, actions);
  }

  Schedule withActions(List<Action> others) {
    return new Schedule(plan, List.copyOf(others));
  }
}
