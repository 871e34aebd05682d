/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static io.posthorn.model.MergeSetup.Budget.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.MergeSetup.Handler;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rule of order as it is built, over every interleaving of publishers, reads, deliveries,
 * settles and what the outside does. The numbers of states are asserted as lower bounds, so that a
 * model that has lost its steps does not pass.
 */
class MergeModelTest {
  private static final int FIRST = 0b001;
  private static final int FIRST_AND_LAST = 0b101;

  @Test
  void laneKeepsItsPromisesThroughAFailureAndAHandOver() { // 338,349 states
    MergeSetup setup =
        new MergeSetup(
            3, FIRST_AND_LAST, Handler.PLAIN, false, NOTHING.withFailures(1).withHandOvers(1));
    assertKeepsEveryPromise(setup, 300_000);
  }

  @Test
  void laneKeepsItsPromisesThroughAFailureAndACrash() {
    MergeSetup setup =
        new MergeSetup(3, FIRST, Handler.PLAIN, false, NOTHING.withFailures(1).withCrashes(1));
    assertKeepsEveryPromise(setup, 100_000);
  }

  @Test
  void laneKeepsItsPromisesWithoutRoomForWhatIsQueued() {
    MergeSetup setup =
        new MergeSetup(3, FIRST, Handler.PLAIN, false, NOTHING.withFailures(1).withSpills(1));
    assertKeepsEveryPromise(setup, 100_000);
  }

  @Test
  void laneThatLetsFailedMessagesPassKeepsItsPromises() { // 335,670 states
    MergeSetup setup = new MergeSetup(3, FIRST, Handler.PASSING, false, NOTHING.withFailures(2));
    assertKeepsEveryPromise(setup, 300_000);
  }

  @Test
  void laneThatLetsFailedMessagesPassKeepsItsPromisesThroughAHandOver() {
    MergeSetup setup =
        new MergeSetup(3, FIRST, Handler.PASSING, false, NOTHING.withFailures(1).withHandOvers(1));
    assertKeepsEveryPromise(setup, 100_000);
  }

  @Test
  void laneOfATransactionalHandlerKeepsItsPromises() { // 151,521 states
    MergeSetup setup =
        new MergeSetup(
            3,
            FIRST_AND_LAST,
            Handler.TRANSACTIONAL,
            false,
            NOTHING.withFailures(1).withHandOvers(1));
    assertKeepsEveryPromise(setup, 140_000);
  }

  @Test
  void transactionsThatMayHaveCommittedTakeEffectOnce() { // 215,256 states
    MergeSetup setup =
        new MergeSetup(
            3,
            FIRST,
            Handler.TRANSACTIONAL,
            false,
            NOTHING.withFailures(1).withCrashes(1).withLostAnswers(1));
    assertKeepsEveryPromise(setup, 200_000);
  }

  @Test
  void laneUnderSuspicionKeepsItsPromises() { // 383,181 states
    MergeSetup setup = new MergeSetup(3, FIRST, Handler.WATCHED, false, NOTHING.withFailures(2));
    assertKeepsEveryPromise(setup, 350_000);
  }

  @Test
  void floorsLoseNothingThroughACrashAndAHandOver() {
    MergeSetup setup =
        new MergeSetup(2, FIRST, Handler.PLAIN, true, NOTHING.withCrashes(1).withHandOvers(1));
    assertKeepsEveryPromise(setup, 50_000);
  }

  private static void assertKeepsEveryPromise(MergeSetup setup, int atLeast) {
    Exploration found =
        StateSpace.explore(
            new MergeModel(setup, MergeRule.AS_BUILT),
            List.of(MergePromise.values()),
            MergeProspect.EVERY_MESSAGE_CAN_STILL_BE_DELIVERED);
    assertThat(found.violation()).as(found.toString()).isEmpty();
    assertThat(found.states()).as("states of " + setup).isGreaterThan(atLeast);
  }
}
