package io.posthorn.model;

import static io.posthorn.model.Protocol.AS_BUILT;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Exploration.Violation;
import io.posthorn.model.Fleet.Budget;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of a few relays, of what the outside does to them, and of time. The numbers of
 * states are asserted as lower bounds, so that a model that has lost its steps does not pass.
 */
class LeaseProtocolModelTest {

  private static final Budget NO_FAULT = new Budget(0, 0, 0);
  private static final Budget A_PAUSE = new Budget(1, 0, 0);
  private static final Budget A_HAND_OVER = new Budget(0, 1, 0);
  private static final Budget A_LOST_ANSWER = new Budget(0, 1, 1);
  private static final Prospect PROSPECT = Prospect.EVERY_MESSAGE_CAN_STILL_BE_SETTLED;

  @Test
  void twoRelaysWithAPauseAndAHandOverKeepEveryPromise() { // 250,887 states
    assertKeepsEveryPromise(new LeaseModel(2, 1, 2, new Budget(1, 1, 0), AS_BUILT), 200_000);
  }

  @Test
  void twoRelaysWithTwoPausesKeepEveryPromise() { // 164,416 states
    assertKeepsEveryPromise(new LeaseModel(2, 1, 1, new Budget(2, 0, 0), AS_BUILT), 150_000);
  }

  @Test
  void twoRelaysThatLoseAnAnswerOfTheDatabaseKeepEveryPromise() { // 115,479 states
    assertKeepsEveryPromise(new LeaseModel(2, 1, 1, new Budget(1, 1, 1), AS_BUILT), 100_000);
  }

  @Test
  void twoRelaysWithTwoPartitionsKeepEveryPromise() { // 39,894 states
    assertKeepsEveryPromise(new LeaseModel(2, 2, 1, new Budget(0, 1, 0), AS_BUILT), 30_000);
  }

  @Test
  void threeRelaysWithAPauseAndAHandOverKeepEveryPromise() { // 258,247 states
    assertKeepsEveryPromise(new LeaseModel(3, 1, 1, new Budget(1, 1, 0), AS_BUILT), 200_000);
  }

  @Test
  void threeRelaysWithTwoHandOversDeliverEachMessageOnceInOrder() { // 28,080 states
    assertKeepsEveryPromise(new LeaseModel(3, 1, 2, new Budget(0, 2, 0), AS_BUILT), 25_000);
  }

  @Test
  void withoutLockOnInstanceRowAnExpelledRelayStillSettles() {
    assertThat(
            storyThatBreaks(
                Promise.EXPELLED_RELAY_CHANGES_NO_ROW, Protocol.WITHOUT_LOCK_ON_INSTANCE_ROW, A_PAUSE))
        .containsSubsequence("A begins a settle: its instance row is there", "B expels A")
        .endsWith("the settle of A commits");
  }

  @Test
  void takeWithoutLockOnInstanceRowIsOpenToAnExpelledRelay() {
    assertThat(
            storyThatBreaks(
                Promise.EXPELLED_RELAY_CHANGES_NO_ROW, Protocol.TAKE_WITHOUT_LOCK_ON_INSTANCE_ROW, A_PAUSE))
        .containsSubsequence("B expels A", "A tries to take partition 0");
  }

  @Test
  void takeBeforeExpelMakesTwoOwners() {
    assertThat(
            storyThatBreaks(
                Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN, Protocol.TAKE_BEFORE_EXPEL, A_PAUSE))
        .containsSubsequence("A tries to take partition 0", "A is paused")
        .endsWith("B tries to take partition 0");
  }

  @Test
  void takeWithoutComparingEpochMakesTwoOwners() {
    assertThat(
            storyThatBreaks(
                Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN,
                Protocol.TAKE_WITHOUT_COMPARING_EPOCH, NO_FAULT))
        .contains("A tries to take partition 0", "B tries to take partition 0");
  }

  @Test
  void surveyOfInstancesBeforePartitionsMakesTwoOwners() {
    assertThat(
            storyThatBreaks(
                Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN,
                Protocol.SURVEY_INSTANCES_BEFORE_PARTITIONS, NO_FAULT))
        .contains("A tries to take partition 0", "B tries to take partition 0");
  }

  @Test
  void releaseWithoutComparingOwnerTakesThePartitionFromItsNextOwner() {
    assertThat(
            storyThatBreaks(
                Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN,
                Protocol.RELEASE_WITHOUT_COMPARING_OWNER, A_LOST_ANSWER))
        .containsSubsequence(
            "A releases partition 0, and the answer is lost",
            "B tries to take partition 0",
            "A releases partition 0");
  }

  @Test
  void releaseDuringASurveyLetsARelayHoldWhatIsNotItsOwn() {
    assertThat(
            storyThatBreaks(
                Promise.LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN, Protocol.RELEASE_DURING_SURVEY, A_HAND_OVER))
        .containsSubsequence(
            "A makes the first half of a survey",
            "A releases partition 0",
            "A makes the second half of its survey");
  }

  @Test
  void releaseBeforeSettleDeliversTwiceWithoutAFault() {
    assertThat(
            storyThatBreaks(Promise.NO_DUPLICATE_WITHOUT_EXPULSION, Protocol.RELEASE_BEFORE_SETTLE, A_HAND_OVER))
        .containsSubsequence(
            "A ends the delivery of message 1 of partition 0", "A releases partition 0")
        .last()
        .asString()
        .endsWith("starts the delivery of message 1 of partition 0");
  }

  @Test
  void releaseBeforeSettleLetsAFormerOwnerSettle() {
    assertThat(storyThatBreaks(Promise.ONLY_THE_OWNER_SETTLES, Protocol.RELEASE_BEFORE_SETTLE, A_HAND_OVER))
        .containsSubsequence("A releases partition 0", "the settle of A commits");
  }

  @Test
  void readThatOutlivesAReleaseDeliversTwiceWithoutAFault() {
    assertThat(
            storyThatBreaks(Promise.NO_DUPLICATE_WITHOUT_EXPULSION, Protocol.READ_OUTLIVES_RELEASE, A_HAND_OVER))
        .containsSubsequence(
            "A begins a read",
            "A gets the answer to its settle",
            "A releases partition 0",
            "A tries to take partition 0",
            "the read of A returns");
  }

  @Test
  void seqThatLeavesInFlightAtOnceIsDeliveredTwiceWithoutAFault() {
    assertThat(
            storyThatBreaks(
                Promise.NO_DUPLICATE_WITHOUT_EXPULSION, Protocol.SEQ_LEAVES_IN_FLIGHT_AT_ONCE, NO_FAULT))
        .containsSubsequence(
            "A begins a read", "A gets the answer to its settle", "the read of A returns");
  }

  @Test
  void settleBeforeTheDeliveryEndsLosesMessages() {
    assertThat(storyThatBreaks(Promise.NOTHING_IS_LOST, Protocol.SETTLE_BEFORE_DELIVERY_ENDS, NO_FAULT))
        .doesNotContain("A ends the delivery of message 1 of partition 0")
        .endsWith("the settle of A commits");
  }

  @Test
  void laneThatDoesNotWaitStartsOutOfOrder() {
    assertThat(storyThatBreaks(Promise.LANE_STARTS_IN_ORDER, Protocol.LANE_DOES_NOT_WAIT, NO_FAULT))
        .endsWith("A starts the delivery of message 2 of partition 0");
  }

  @Test
  void laneForgottenByAnExpelledRelayIsDeliveredTwiceAtATime() {
    assertThat(
            storyThatBreaks(
                Promise.RELAY_DELIVERS_ONE_AT_A_TIME_PER_LANE,
                Protocol.LANE_IS_FORGOTTEN_WHEN_EXPELLED, A_PAUSE))
        .contains("A finds itself expelled and drops everything");
  }

  @Test
  void deadlineOfTheNextLifeLetsAWorkerStartWhatWasReadInTheLastOne() {
    assertThat(
            storyThatBreaks(
                Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE, Protocol.DEADLINE_OF_THE_NEXT_LIFE, A_PAUSE))
        .containsSubsequence(
            "A finds itself expelled and drops everything", "A joins under a fresh incarnation");
  }

  @Test
  void withoutADeadlineCheckARelayStartsPastItsLease() {
    assertThat(
            storyThatBreaks(Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE, Protocol.NO_DEADLINE_CHECK, A_PAUSE))
        .containsSubsequence(
            "A wakes up", "a worker of A passes the deadline check for message 1 of partition 0");
  }

  @Test
  void deadlineFromTheAnswerLastsLongerThanTheLease() {
    assertThat(
            storyThatBreaks(
                Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE, Protocol.DEADLINE_FROM_THE_ANSWER, A_PAUSE))
        .containsSubsequence("A wakes up", "A gets the answer to its heartbeat");
  }

  @Test
  void deadlineOnAClockThatSleepsLastsLongerThanTheLease() {
    assertThat(
            storyThatBreaks(
                Promise.NO_CHECK_IS_PASSED_PAST_THE_LEASE,
                Protocol.DEADLINE_ON_A_CLOCK_THAT_SLEEPS, A_PAUSE))
        .contains("A wakes up");
  }

  @Test
  void takeWhoseAnswerIsForgottenLeavesThePartitionWithoutService() {
    assertThat(storyThatGetsStuck(Protocol.TAKE_WITHOUT_ANSWER_IS_FORGOTTEN, A_LOST_ANSWER))
        .endsWith("A tries to take partition 0, and the answer is lost");
  }

  @Test
  void withoutIdleInTransactionTimeoutAFrozenSettleHoldsUpItsSuccessorForEver() {
    assertThat(storyThatGetsStuck(Protocol.NO_IDLE_IN_TRANSACTION_TIMEOUT, A_PAUSE))
        .containsSubsequence("A begins a settle: its instance row is there", "A is paused");
  }

  private static void assertKeepsEveryPromise(LeaseModel model, int atLeast) {
    Exploration found = StateSpace.explore(model, List.of(Promise.values()), PROSPECT);
    assertThat(found.violation()).as(found.toString()).isEmpty();
    assertThat(found.states()).as("states of " + model).isGreaterThan(atLeast);
  }

  /** The shortest one, among all runs of two relays with two messages of one key. */
  private static List<String> storyThatBreaks(Promise promise, Protocol broken, Budget budget) {
    LeaseModel model = new LeaseModel(2, 1, 2, budget, broken);
    return storyThatBreaks(promise, StateSpace.explore(model, List.of(promise), PROSPECT));
  }

  private static List<String> storyThatGetsStuck(Protocol broken, Budget budget) {
    LeaseModel model = new LeaseModel(2, 1, 1, budget, broken);
    return storyThatBreaks(
        PROSPECT, StateSpace.explore(model, List.of(Promise.values()), PROSPECT));
  }

  private static List<String> storyThatBreaks(Object rule, Exploration found) {
    assertThat(found.violation()).map(Violation::rule).as(found.toString()).contains(rule);
    return found.violation().orElseThrow().story();
  }
}
