/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Reduces a schedule as long as it still fails: leaves out actions, half of them at first and
 * single ones in the end (delta debugging), and handlers, dimensions and whatever else the plan can
 * do without. What is left can't be reduced by any single one of these steps, unless the number of
 * runs was used up.
 */
final class Shrinker {
  private final Predicate<Schedule> fails;
  private int runs;

  /**
   * @param fails runs a schedule
   * @param runs how often it is asked at the most
   */
  Shrinker(Predicate<Schedule> fails, int runs) {
    this.fails = fails;
    this.runs = runs;
  }

  Schedule shrink(Schedule failing) {
    Schedule shrunk = failing;
    Schedule before;
    do {
      before = shrunk;
      shrunk = fewerActions(shrunk);
      shrunk = simplerPlan(shrunk);
      shrunk = simplerActions(shrunk);
    } while (!shrunk.equals(before) && runs > 0);
    return shrunk;
  }

  private boolean stillFails(Schedule candidate) {
    return runs-- > 0 && fails.test(candidate);
  }

  private Schedule fewerActions(Schedule failing) {
    Schedule shrunk = failing;
    for (int chunk = Math.max(1, failing.actions().size() / 2); chunk > 0; chunk /= 2) {
      for (int end = shrunk.actions().size(); end > 0; end -= chunk) {
        List<Action> fewer = new ArrayList<>(shrunk.actions());
        fewer.subList(Math.max(0, end - chunk), end).clear();
        shrunk = better(shrunk, shrunk.withActions(fewer));
      }
    }
    return shrunk;
  }

  private Schedule simplerPlan(Schedule failing) {
    Schedule shrunk = failing;
    for (UnaryOperator<SchedulePlan> simpler : failing.plan().simplifications()) {
      shrunk = better(shrunk, shrunk.withPlan(simpler.apply(shrunk.plan())));
    }
    return shrunk;
  }

  private Schedule simplerActions(Schedule failing) {
    Schedule shrunk = failing;
    for (int i = 0; i < shrunk.actions().size(); i++) {
      shrunk = better(shrunk, with(shrunk, i, shrunk.actions().get(i).withDepth(0)));
      shrunk = better(shrunk, with(shrunk, i, shrunk.actions().get(i).withSize(0)));
    }
    return shrunk;
  }

  private static Schedule with(Schedule schedule, int index, Action action) {
    List<Action> actions = new ArrayList<>(schedule.actions());
    actions.set(index, action);
    return schedule.withActions(actions);
  }

  private Schedule better(Schedule failing, Schedule candidate) {
    return !candidate.equals(failing) && stillFails(candidate) ? candidate : failing;
  }
}
