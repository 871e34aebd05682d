/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static io.posthorn.model.Flawed.A_HAND_OVER;
import static io.posthorn.model.Flawed.A_LOST_ANSWER;
import static io.posthorn.model.Flawed.A_PAUSE;
import static io.posthorn.model.Flawed.NO_FAULT;
import static io.posthorn.model.Promise.EPOCH_COUNTS_OWNERS;
import static io.posthorn.model.Promise.EXPELLED_RELAY_CHANGES_NO_ROW;
import static io.posthorn.model.Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN;
import static io.posthorn.model.Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Leases and ownership with one thing done wrong: the check must find it and tell how. */
class BrokenOwnershipModelTest {

  @Test
  void withoutLockOnInstanceRowAnExpelledRelayStillSettles() {
    Flawed flawed = new Flawed(Protocol.WITHOUT_LOCK_ON_INSTANCE_ROW, A_PAUSE);

    assertThat(flawed.storyThatBreaks(EXPELLED_RELAY_CHANGES_NO_ROW))
        .containsSubsequence("A begins a settle: its instance row is there", "B expels A")
        .endsWith("the settle of A commits");
  }

  @Test
  void takeWithoutLockOnInstanceRowIsOpenToAnExpelledRelay() {
    Flawed flawed = new Flawed(Protocol.TAKE_WITHOUT_LOCK_ON_INSTANCE_ROW, A_PAUSE);

    assertThat(flawed.storyThatBreaks(EXPELLED_RELAY_CHANGES_NO_ROW))
        .containsSubsequence("B expels A", "A tries to take partition 0");
  }

  @Test
  void releaseWithoutLockOnInstanceRowIsOpenToAnExpelledRelay() {
    Flawed flawed =
        new Flawed(Protocol.RELEASE_WITHOUT_LOCK_ON_INSTANCE_ROW, A_PAUSE.withHandOvers(1));

    assertThat(flawed.storyThatBreaks(EXPELLED_RELAY_CHANGES_NO_ROW))
        .containsSubsequence("B expels A", "A releases partition 0");
  }

  @Test
  void relayThatIsJudgedByAShorterLeaseThanItsOwnGoesOnDeliveringWithoutAnyFault() {
    Flawed flawed = new Flawed(Protocol.OTHERS_ARE_JUDGED_BY_ONES_OWN_LEASE, NO_FAULT);

    assertThat(flawed.storyThatBreaks(NO_CHECK_IS_PASSED_PAST_THE_LEASE))
        .containsSubsequence("A tries to take partition 0", "B expels A")
        .doesNotContain("A is paused");
  }

  @Test
  void takeBeforeExpelMakesTwoOwners() {
    Flawed flawed = new Flawed(Protocol.TAKE_BEFORE_EXPEL, A_PAUSE);

    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .containsSubsequence("A tries to take partition 0", "A is paused")
        .doesNotContain("B expels A")
        .endsWith("B tries to take partition 0");
  }

  @Test
  void takeWithoutComparingEpochMakesTwoOwners() {
    Flawed flawed = new Flawed(Protocol.TAKE_WITHOUT_COMPARING_EPOCH, NO_FAULT);

    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .contains("A tries to take partition 0", "B tries to take partition 0");
  }

  @Test
  void takeWithoutRaisingEpochMakesTwoOwners() {
    Flawed flawed = new Flawed(Protocol.TAKE_WITHOUT_RAISING_EPOCH, NO_FAULT);

    assertThat(flawed.storyThatBreaks(EPOCH_COUNTS_OWNERS)).endsWith("A tries to take partition 0");
    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .contains("A tries to take partition 0", "B tries to take partition 0");
  }

  @Test
  void surveyOfInstancesBeforePartitionsMakesTwoOwners() {
    Flawed flawed = new Flawed(Protocol.SURVEY_INSTANCES_BEFORE_PARTITIONS, NO_FAULT);

    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .contains("A tries to take partition 0", "B tries to take partition 0");
  }

  @Test
  void takeWhoseAnswerIsForgottenLeavesThePartitionWithoutService() {
    Flawed flawed = new Flawed(Protocol.TAKE_WITHOUT_ANSWER_IS_FORGOTTEN, A_LOST_ANSWER);

    assertThat(flawed.storyThatGetsStuck())
        .endsWith("A tries to take partition 0, and the answer is lost");
  }

  @Test
  void releaseWithoutComparingOwnerTakesThePartitionFromItsNextOwner() {
    Flawed flawed = new Flawed(Protocol.RELEASE_WITHOUT_COMPARING_OWNER, A_LOST_ANSWER);

    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .containsSubsequence(
            "A releases partition 0, and the answer is lost",
            "B tries to take partition 0",
            "A releases partition 0");
  }

  @Test
  void releaseDuringASurveyLetsARelayHoldWhatIsNotItsOwn() {
    Flawed flawed = new Flawed(Protocol.RELEASE_DURING_SURVEY, A_HAND_OVER);

    assertThat(flawed.storyThatBreaks(LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN))
        .containsSubsequence(
            "A makes the first half of a survey",
            "A releases partition 0",
            "A makes the second half of its survey");
  }

  @Test
  void withoutIdleInTransactionTimeoutAFrozenSettleHoldsUpItsSuccessorForEver() {
    Flawed flawed = new Flawed(Protocol.NO_IDLE_IN_TRANSACTION_TIMEOUT, A_PAUSE);

    assertThat(flawed.storyThatGetsStuck())
        .containsSubsequence("A begins a settle: its instance row is there", "A is paused");
  }
}
