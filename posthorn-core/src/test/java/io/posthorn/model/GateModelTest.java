/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static io.posthorn.model.GatePromise.NOTHING_APPEARS_BELOW_THE_FLOOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Exploration.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The gates as they are built, over every interleaving of publishers and a reader; and with one
 * thing done wrong, which the check must find and tell how.
 */
class GateModelTest {

  @Test
  void nothingAppearsBelowTheFloorOfThreePublishersAndTwoGates() {
    assertThat(explore(3, 2, GateRule.AS_BUILT).violation()).isEmpty();
    assertThat(explore(3, 2, GateRule.AS_BUILT).states()).isGreaterThan(20_000);
  }

  @Test
  void nothingAppearsBelowTheFloorOfTwoPublishersAndThreeGates() {
    Exploration found = explore(2, 3, GateRule.AS_BUILT);
    assertThat(found.violation()).as(found.toString()).isEmpty();
    assertThat(found.states()).isGreaterThan(1_000);
  }

  @Test
  void publisherThatDrawsBeforeItEntersIsPassed() {
    assertThat(story(GateRule.SEQ_IS_DRAWN_BEFORE_THE_GATE))
        .contains("publisher 2 draws its seq")
        .last()
        .isEqualTo("the reader reads the rows");
  }

  @Test
  void publisherThatLeavesBeforeItsCommitShowsIsPassed() {
    assertThat(story(GateRule.GATE_IS_LEFT_BEFORE_THE_COMMIT_SHOWS))
        .contains("publisher 1 leaves its gate");
  }

  @Test
  void commitBetweenTheReadAndTheLookAtTheGatesIsPassed() {
    assertThat(story(GateRule.FLOOR_MOVES_WITHOUT_ANOTHER_READ))
        .contains("publisher 1 leaves its gate")
        .last()
        .isEqualTo("the reader looks at gate 2");
  }

  @Test
  void gateThatWasFreeBeforeTheMarkMayHaveBeenEnteredSince() {
    assertThat(story(GateRule.GATES_SEEN_FREE_BEFORE_THE_MARK_COUNT))
        .containsSubsequence(
            "the reader looks at gate 1", "publisher 1 enters a gate", "the reader reads the rows");
  }

  @Test
  void publisherInTheGateThatWasNotFreeIsPassed() {
    assertThat(story(GateRule.ONE_FREE_GATE_IS_ENOUGH)).contains("the reader looks at gate 2");
  }

  private static List<String> story(GateRule rule) {
    Exploration found = explore(2, 2, rule);
    Violation violation = found.violation().orElseThrow(() -> new AssertionError(found));
    assertThat(violation.rule()).isEqualTo(NOTHING_APPEARS_BELOW_THE_FLOOR);
    return violation.story();
  }

  private static Exploration explore(int publishers, int gates, GateRule rule) {
    return StateSpace.explore(
        new GateModel(publishers, gates, rule),
        List.of(GatePromise.values()),
        GateProspect.FLOOR_CAN_STILL_PASS_ALL_THAT_WAS_READ);
  }
}
