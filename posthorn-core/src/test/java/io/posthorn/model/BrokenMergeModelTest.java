/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static io.posthorn.model.MergePromise.EFFECT_OF_A_TRANSACTION_HAPPENS_ONCE;
import static io.posthorn.model.MergePromise.LANE_STARTS_IN_ORDER;
import static io.posthorn.model.MergePromise.NOTHING_IS_LOST_FOR_THE_OTHER_HANDLER;
import static io.posthorn.model.MergePromise.NO_DUPLICATE_WITHOUT_A_CRASH;
import static io.posthorn.model.MergePromise.TRANSACTION_FINDS_ITS_ROW;
import static io.posthorn.model.MergeSetup.Budget.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Exploration.Violation;
import io.posthorn.model.MergeSetup.Budget;
import io.posthorn.model.MergeSetup.Handler;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rule of order with one thing done wrong: the check must find it and tell how. */
class BrokenMergeModelTest {
  private static final Budget A_FAILURE = NOTHING.withFailures(1);
  private static final int NONE_SHARED = 0b000;
  private static final int FIRST = 0b001;
  private static final int FIRST_AND_LAST = 0b101;

  @Test
  void readThatAsksForNoDeferredRowsLetsReadyOnesOvertakeThem() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(2, NONE_SHARED, Handler.PLAIN, A_FAILURE),
                MergeRule.READY_READ_ASKS_FOR_NO_DEFERRED_ROWS))
        .containsSubsequence(
            "the delivery of message 1 fails",
            "all outcomes are committed",
            "the read of ready rows returns",
            "the delivery of message 2 starts");
  }

  @Test
  void deferredRowThatDoesNotWaitForTheReaderOvertakesReadyOnes() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(3, FIRST_AND_LAST, Handler.PLAIN, NOTHING.withHandOvers(1)),
                MergeRule.DEFERRED_ROW_DOES_NOT_WAIT_FOR_THE_READER))
        .containsSubsequence("the partition is released", "the read of deferred rows returns");
  }

  /** Messages 31, 32 and 33 of docs/why/0014. */
  @Test
  void dueReadThatCountsForRowsOnTheirWayLetsLaterOnesOvertakeThem() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(3, FIRST_AND_LAST, Handler.PLAIN, NOTHING.withHandOvers(1)),
                MergeRule.DUE_READ_COUNTS_FOR_ROWS_ON_THEIR_WAY))
        .containsSubsequence(
            "another handler is done with message 1",
            "another handler is done with message 3",
            "the partition is drained",
            "the read of deferred rows returns")
        .endsWith("the delivery of message 3 starts");
  }

  @Test
  void closedLaneThatIsForgottenAtOnceIsOpenToAReadThatBeganBefore() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(2, NONE_SHARED, Handler.PLAIN, A_FAILURE),
                MergeRule.CLOSED_LANE_IS_FORGOTTEN_AT_ONCE))
        .containsSubsequence(
            "a read of all ready rows begins",
            "the relay gets the answer to its settle",
            "the read of ready rows returns",
            "the delivery of message 2 starts");
  }

  @Test
  void failureThatLeavesItsLaneOpenIsOvertaken() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(2, NONE_SHARED, Handler.PLAIN, A_FAILURE),
                MergeRule.FAILURE_LEAVES_ITS_LANE_OPEN))
        .endsWith("the delivery of message 1 fails", "the delivery of message 2 starts");
  }

  @Test
  void laneThatHoldsDoesNotLetFailedMessagesPass() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(2, NONE_SHARED, Handler.PLAIN, A_FAILURE),
                MergeRule.EVERY_FAILURE_IS_PASSED))
        .endsWith("the delivery of message 2 starts");
  }

  @Test
  void whatIsGivenBackIsNotPassedEvenWhereFailedMessagesAre() {
    assertThat(
            storyThatBreaks(
                LANE_STARTS_IN_ORDER,
                setup(2, NONE_SHARED, Handler.PASSING, NOTHING.withSpills(1)),
                MergeRule.WHAT_IS_GIVEN_BACK_IS_PASSED))
        .contains("what is queued is given back for lack of room")
        .endsWith("the delivery of message 2 starts");
  }

  @Test
  void outcomeThatOvertakesItsSplitIsLostAndTheMessageDeliveredAgain() {
    assertThat(
            storyThatBreaks(
                NO_DUPLICATE_WITHOUT_A_CRASH,
                setup(1, FIRST, Handler.PLAIN, A_FAILURE),
                MergeRule.OUTCOME_OVERTAKES_ITS_SPLIT))
        .containsSubsequence(
            "another handler fails with message 1, which is split",
            "the delivery of message 1 ends",
            "the first outcome is committed, that of message 1");
  }

  @Test
  void laneWhoseFirstRowHasNoTimeIsNeverLookedAt() {
    assertThat(
            storyThatGetsStuck(
                setup(2, NONE_SHARED, Handler.PLAIN, A_FAILURE), MergeRule.SETTLE_GIVES_NO_TIME))
        .contains("the delivery of message 1 fails");
  }

  @Test
  void twoTransactionsThatDoNotLockTheFirstRowLeaveTheNextOneWithoutATime() {
    assertThat(
            storyThatGetsStuck(
                setup(2, FIRST, Handler.TRANSACTIONAL, A_FAILURE),
                MergeRule.FIRST_ROW_IS_NOT_LOCKED))
        .containsSubsequence(
            "the handler's transaction deletes the row of message 1", "all outcomes are committed");
  }

  @Test
  void transactionalHandlerThatSharesItsRowTakesItFromTheOthers() {
    MergeSetup setup = setup(1, FIRST, Handler.TRANSACTIONAL, A_FAILURE);
    MergeRule rule = MergeRule.TRANSACTIONAL_HANDLER_SHARES_ITS_ROW;

    assertThat(storyThatBreaks(NOTHING_IS_LOST_FOR_THE_OTHER_HANDLER, setup, rule))
        .doesNotContain("another handler is done with message 1")
        .endsWith("the handler's transaction for message 1 commits");
    assertThat(storyThatBreaks(TRANSACTION_FINDS_ITS_ROW, setup, rule))
        .contains("another handler fails with message 1, which is split");
  }

  @Test
  void effectThatCommitsWithoutItsRowHappensAgainAfterACrash() {
    assertThat(
            storyThatBreaks(
                EFFECT_OF_A_TRANSACTION_HAPPENS_ONCE,
                setup(1, NONE_SHARED, Handler.TRANSACTIONAL, NOTHING.withCrashes(1)),
                MergeRule.EFFECT_COMMITS_WITHOUT_ITS_ROW))
        .containsSubsequence("the handler's transaction for message 1 commits", "the relay dies");
  }

  @Test
  void missingRowThatIsNotNoticedRepeatsTheEffectAfterALostAnswer() {
    assertThat(
            storyThatBreaks(
                EFFECT_OF_A_TRANSACTION_HAPPENS_ONCE,
                setup(1, NONE_SHARED, Handler.TRANSACTIONAL, NOTHING.withLostAnswers(1)),
                MergeRule.MISSING_ROW_IS_NOT_NOTICED))
        .contains("the same, and the answer for message 1 is lost");
  }

  @Test
  void floorThatPassesAnOpenTransactionLosesItsMessage() {
    MergeSetup setup = new MergeSetup(1, NONE_SHARED, Handler.PLAIN, true, NOTHING);

    assertThat(storyThatGetsStuck(setup, MergeRule.FLOOR_PASSES_AN_OPEN_TRANSACTION))
        .containsExactly("a read of all ready rows begins");
  }

  @Test
  void storedFloorThatPassesWhatIsInMemoryLosesItInACrash() {
    MergeSetup setup = new MergeSetup(1, NONE_SHARED, Handler.PLAIN, true, NOTHING.withCrashes(1));

    assertThat(storyThatGetsStuck(setup, MergeRule.STORED_FLOOR_PASSES_WHAT_IS_IN_MEMORY))
        .containsSubsequence("the floor is stored", "the relay dies");
  }

  @Test
  void retryThatGoesBeforeTheNotedMessageLetsThatBeDeliveredTwice() {
    assertThat(
            storyThatBreaks(
                NO_DUPLICATE_WITHOUT_A_CRASH,
                setup(2, NONE_SHARED, Handler.WATCHED, A_FAILURE),
                MergeRule.RETRY_GOES_BEFORE_THE_NOTED_MESSAGE))
        .containsSubsequence(
            "the delivery of message 1 fails",
            "that message 2 is delivered next is to be stored",
            "the read of deferred rows returns",
            "the delivery of message 2 ends")
        .endsWith("the delivery of message 2 starts");
  }

  private static MergeSetup setup(int messages, int shared, Handler handler, Budget budget) {
    return new MergeSetup(messages, shared, handler, false, budget);
  }

  /** The shortest of all runs that break this promise. */
  private static List<String> storyThatBreaks(
      MergePromise promise, MergeSetup setup, MergeRule rule) {
    return story(promise, List.of(promise), setup, rule);
  }

  /** The shortest of all runs after which some message cannot be delivered any more. */
  private static List<String> storyThatGetsStuck(MergeSetup setup, MergeRule rule) {
    return story(
        MergeProspect.EVERY_MESSAGE_CAN_STILL_BE_DELIVERED,
        List.of(MergePromise.values()),
        setup,
        rule);
  }

  private static List<String> story(
      Object broken, List<MergePromise> promises, MergeSetup setup, MergeRule rule) {
    Exploration found =
        StateSpace.explore(
            new MergeModel(setup, rule),
            promises,
            MergeProspect.EVERY_MESSAGE_CAN_STILL_BE_DELIVERED);
    assertThat(found.violation()).map(Violation::rule).as(found.toString()).contains(broken);
    return found.violation().orElseThrow().story();
  }
}
