/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Exploration.Violation;
import io.posthorn.model.Fleet.Budget;
import java.util.List;

/** A protocol with one thing done wrong, run by two relays on two messages of one key. */
record Flawed(Protocol protocol, Budget budget) {

  static final Budget NO_FAULT = Budget.NOTHING;
  static final Budget A_PAUSE = Budget.NOTHING.withPauses(1);
  static final Budget A_HAND_OVER = Budget.NOTHING.withHandOvers(1);
  static final Budget A_LOST_ANSWER = A_HAND_OVER.withLostAnswers(1);

  private static final Prospect PROSPECT = Prospect.EVERY_MESSAGE_CAN_STILL_BE_SETTLED;

  /** The shortest of all runs that break this promise. */
  List<String> storyThatBreaks(Promise promise) {
    return story(promise, List.of(promise));
  }

  /** The shortest of all runs after which the messages cannot be settled any more. */
  List<String> storyThatGetsStuck() {
    return story(PROSPECT, List.of(Promise.values()));
  }

  private List<String> story(Object rule, List<Promise> promises) {
    LeaseModel model = new LeaseModel(2, 1, 2, budget, protocol);
    Exploration found = StateSpace.explore(model, promises, PROSPECT);
    assertThat(found.violation()).map(Violation::rule).as(found.toString()).contains(rule);
    return found.violation().orElseThrow().story();
  }
}
