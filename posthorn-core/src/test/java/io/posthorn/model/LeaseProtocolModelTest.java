/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Fleet.Budget;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The protocol as it is built, over every interleaving of a few relays, of what the outside does to
 * them, and of time. The numbers of states are asserted as lower bounds, so that a model that has
 * lost its steps does not pass.
 */
class LeaseProtocolModelTest {

  @Test
  void twoRelaysWithAPauseAndAHandOverKeepEveryPromise() { // 250,887 states
    Budget budget = Budget.NOTHING.withPauses(1).withHandOvers(1);
    assertKeepsEveryPromise(new LeaseModel(2, 1, 2, budget, Protocol.AS_BUILT), 200_000);
  }

  @Test
  void twoRelaysWithTwoPausesKeepEveryPromise() { // 164,416 states
    Budget budget = Budget.NOTHING.withPauses(2);
    assertKeepsEveryPromise(new LeaseModel(2, 1, 1, budget, Protocol.AS_BUILT), 150_000);
  }

  @Test
  void twoRelaysThatLoseAnAnswerOfTheDatabaseKeepEveryPromise() { // 115,479 states
    Budget budget = Budget.NOTHING.withPauses(1).withHandOvers(1).withLostAnswers(1);
    assertKeepsEveryPromise(new LeaseModel(2, 1, 1, budget, Protocol.AS_BUILT), 100_000);
  }

  @Test
  void twoRelaysWithTwoPartitionsKeepEveryPromise() { // 39,894 states
    Budget budget = Budget.NOTHING.withHandOvers(1);
    assertKeepsEveryPromise(new LeaseModel(2, 2, 1, budget, Protocol.AS_BUILT), 30_000);
  }

  @Test
  void threeRelaysWithAPauseAndAHandOverKeepEveryPromise() { // 258,247 states
    Budget budget = Budget.NOTHING.withPauses(1).withHandOvers(1);
    assertKeepsEveryPromise(new LeaseModel(3, 1, 1, budget, Protocol.AS_BUILT), 200_000);
  }

  @Test
  void threeRelaysWithTwoHandOversDeliverEachMessageOnceInOrder() { // 28,080 states
    Budget budget = Budget.NOTHING.withHandOvers(2);
    assertKeepsEveryPromise(new LeaseModel(3, 1, 2, budget, Protocol.AS_BUILT), 25_000);
  }

  private static void assertKeepsEveryPromise(LeaseModel model, int atLeast) {
    Exploration found =
        StateSpace.explore(
            model, List.of(Promise.values()), Prospect.EVERY_MESSAGE_CAN_STILL_BE_SETTLED);
    assertThat(found.violation()).as(found.toString()).isEmpty();
    assertThat(found.states()).as("states of " + model).isGreaterThan(atLeast);
  }
}
