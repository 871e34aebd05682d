/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static io.posthorn.model.Flawed.A_HAND_OVER;
import static io.posthorn.model.Flawed.A_PAUSE;
import static io.posthorn.model.Flawed.NO_FAULT;
import static io.posthorn.model.Promise.EPOCH_STARTS_EACH_MESSAGE_ONCE_IN_ORDER;
import static io.posthorn.model.Promise.LANE_STARTS_IN_ORDER;
import static io.posthorn.model.Promise.NOTHING_IS_LOST;
import static io.posthorn.model.Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE;
import static io.posthorn.model.Promise.NO_DUPLICATE_WITHOUT_EXPULSION;
import static io.posthorn.model.Promise.ONLY_THE_OWNER_SETTLES;
import static io.posthorn.model.Promise.RELAY_DELIVERS_ONE_AT_A_TIME_PER_LANE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Deliveries and settles with one thing done wrong: the check must find it and tell how. */
class BrokenDeliveryModelTest {

  @Test
  void releaseBeforeSettleDeliversTwiceWithoutAFault() {
    Flawed flawed = new Flawed(Protocol.RELEASE_BEFORE_SETTLE, A_HAND_OVER);

    assertThat(flawed.storyThatBreaks(NO_DUPLICATE_WITHOUT_EXPULSION))
        .containsSubsequence(
            "A starts the delivery of message 1 of partition 0",
            "A ends the delivery of message 1 of partition 0",
            "A releases partition 0")
        .last()
        .asString()
        .endsWith("starts the delivery of message 1 of partition 0");
  }

  @Test
  void releaseBeforeSettleLetsAFormerOwnerSettle() {
    Flawed flawed = new Flawed(Protocol.RELEASE_BEFORE_SETTLE, A_HAND_OVER);

    assertThat(flawed.storyThatBreaks(ONLY_THE_OWNER_SETTLES))
        .containsSubsequence("A releases partition 0", "the settle of A commits");
  }

  @Test
  void readThatOutlivesAReleaseDeliversTwiceWithoutAFault() {
    Flawed flawed = new Flawed(Protocol.READ_OUTLIVES_RELEASE, A_HAND_OVER);

    assertThat(flawed.storyThatBreaks(NO_DUPLICATE_WITHOUT_EXPULSION))
        .containsSubsequence(
            "A begins a read",
            "A gets the answer to its settle",
            "A releases partition 0",
            "A tries to take partition 0",
            "the read of A returns");
  }

  @Test
  void seqThatLeavesInFlightAtOnceIsDeliveredTwiceWithoutAFault() {
    Flawed flawed = new Flawed(Protocol.SEQ_LEAVES_IN_FLIGHT_AT_ONCE, NO_FAULT);

    assertThat(flawed.storyThatBreaks(NO_DUPLICATE_WITHOUT_EXPULSION))
        .isEqualTo(flawed.storyThatBreaks(EPOCH_STARTS_EACH_MESSAGE_ONCE_IN_ORDER))
        .containsSubsequence(
            "A begins a read", "A gets the answer to its settle", "the read of A returns");
  }

  @Test
  void settleBeforeTheDeliveryEndsLosesMessages() {
    Flawed flawed = new Flawed(Protocol.SETTLE_BEFORE_DELIVERY_ENDS, NO_FAULT);

    assertThat(flawed.storyThatBreaks(NOTHING_IS_LOST))
        .doesNotContain("A ends the delivery of message 1 of partition 0")
        .endsWith("the settle of A commits");
  }

  @Test
  void laneThatDoesNotWaitStartsOutOfOrder() {
    Flawed flawed = new Flawed(Protocol.LANE_DOES_NOT_WAIT, NO_FAULT);

    assertThat(flawed.storyThatBreaks(LANE_STARTS_IN_ORDER))
        .endsWith("A starts the delivery of message 2 of partition 0");
  }

  @Test
  void laneForgottenByAnExpelledRelayIsDeliveredTwiceAtATime() {
    Flawed flawed = new Flawed(Protocol.LANE_IS_FORGOTTEN_WHEN_EXPELLED, A_PAUSE);

    assertThat(flawed.storyThatBreaks(RELAY_DELIVERS_ONE_AT_A_TIME_PER_LANE))
        .containsSubsequence(
            "A finds itself expelled and drops everything", "A joins under a fresh incarnation");
  }

  @Test
  void deadlineOfTheNextLifeLetsAWorkerStartWhatWasReadInTheLastOne() {
    Flawed flawed = new Flawed(Protocol.DEADLINE_OF_THE_NEXT_LIFE, A_PAUSE);

    assertThat(flawed.storyThatBreaks(NO_CHECK_IS_PASSED_PAST_THE_LEASE))
        .containsSubsequence(
            "A finds itself expelled and drops everything", "A joins under a fresh incarnation");
  }

  @Test
  void withoutADeadlineCheckARelayStartsPastItsLease() {
    Flawed flawed = new Flawed(Protocol.NO_DEADLINE_CHECK, A_PAUSE);

    assertThat(flawed.storyThatBreaks(NO_CHECK_IS_PASSED_PAST_THE_LEASE))
        .containsSubsequence(
            "A wakes up", "a worker of A passes the deadline check for message 1 of partition 0");
  }

  @Test
  void deadlineFromTheAnswerLastsLongerThanTheLease() {
    Flawed flawed = new Flawed(Protocol.DEADLINE_FROM_THE_ANSWER, A_PAUSE);

    assertThat(flawed.storyThatBreaks(NO_CHECK_IS_PASSED_PAST_THE_LEASE))
        .containsSubsequence("A wakes up", "A gets the answer to its heartbeat");
  }

  @Test
  void deadlineOnAClockThatSleepsLastsLongerThanTheLease() {
    Flawed flawed = new Flawed(Protocol.DEADLINE_ON_A_CLOCK_THAT_SLEEPS, A_PAUSE);

    assertThat(flawed.storyThatBreaks(NO_CHECK_IS_PASSED_PAST_THE_LEASE)).contains("A wakes up");
  }
}
