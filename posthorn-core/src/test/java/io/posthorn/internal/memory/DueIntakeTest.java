/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.deferred;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.handlerOf;
import static io.posthorn.internal.memory.MemoryScene.message;
import static io.posthorn.internal.memory.MemoryScene.notDue;
import static io.posthorn.internal.memory.MemoryScene.passed;
import static io.posthorn.internal.memory.MemoryScene.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.internal.memory.MemoryScene.Signal;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueRequest.Heads;
import io.posthorn.spi.RelayStore.DueResult;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Deferred rows come back when the first of their lane is due. */
class DueIntakeTest {
  private static final Fate DEAD = new Fate.Dead(1, "nobody takes it");
  private static final Fate STAYS = new Fate.Deferred(DeferReason.RETRYING, 2, Duration.ZERO, null);
  private static final Fate PASSES =
      new Fate.Deferred(DeferReason.RETRYING, 2, Duration.ZERO, null, true);

  private MemoryScene scene = scene(handler("mailer"));

  /** Partition 0 has deferred rows of all handlers, and no ready ones. */
  private static MemoryScene scene(HandlerSpec<?>... specs) {
    return scene(RelayOptionsFixture.standard(), specs);
  }

  private static MemoryScene scene(RelayOptions options, HandlerSpec<?>... specs) {
    MemoryScene scene = new MemoryScene(options, specs);
    scene.holdWithDeferred(List.of(specs).stream().map(HandlerSpec::name).toArray(String[]::new));
    scene.read();
    return scene;
  }

  private static RelayOptions window(int messages) {
    return RelayOptionsFixture.standard().windowMessages(messages);
  }

  private DueIntake intake() {
    return scene.memory.dueIntake();
  }

  private int readDueInstead(DeferredMessage row, Fate instead) {
    return intake()
        .acceptDue(
            scene.planDue(),
            new DueResult(List.of(row), false),
            List.of(new DueIntake.Routed(row, instead)));
  }

  // --- what to read

  @Test
  void onlyHandlersThatMayHaveRowsAreReadFor() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).holdWithDeferred("audit");
    scene.hold(1);
    DueIntake.Plan plan = scene.planDue();
    assertThat(plan.request().slices()).containsExactly(new Heads(0, "audit", 200));
    assertThat(plan.partitions()).containsOnlyKeys(0);
  }

  @Test
  void whereNobodyHasRowsNothingIsRead() {
    scene = new MemoryScene(handler("mailer")).hold(0);
    assertThat(intake().planDue()).isEmpty();
    assertThat(intake().deferredHandlers()).isEmpty();
  }

  @Test
  void rowsOfNoHandlerAreReadToo() {
    scene = new MemoryScene(handler("mailer"));
    scene.holdWithDeferred(DeferredMessage.UNDECIDED, "of another relay");
    assertThat(scene.planDue().request().slices())
        .containsExactly(new Heads(0, DeferredMessage.UNDECIDED, 200));
  }

  @Test
  void theRoomOfAHandlerIsSharedByItsPartitions() {
    scene = new MemoryScene(window(100), handler("mailer"));
    for (int i = 0; i < 4; i++) {
      scene.hold(new PartitionOwner(i, MemoryScene.ME, 1), "mailer");
    }
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsOnly(25);
  }

  @Test
  void eachPartitionIsAskedForOneHeadAtLeastAndForTwoHundredAtTheMost() {
    scene = new MemoryScene(window(3), handler("mailer"));
    IntStream.range(0, 5)
        .forEach(i -> scene.hold(new PartitionOwner(i, MemoryScene.ME, 1), "mailer"));
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsOnly(1);

    scene = scene(handler("mailer"));
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsOnly(200);
  }

  @Test
  void partitionsTakeTurnsInBeingTheFirst() {
    scene = new MemoryScene(handler("mailer"));
    for (int i = 0; i < 3; i++) {
      scene.hold(new PartitionOwner(i, MemoryScene.ME, 1), "mailer");
    }
    assertThat(scene.planDue().request().slices())
        .extracting(Heads::partition)
        .containsExactly(0, 1, 2);
    assertThat(scene.planDue().request().slices())
        .extracting(Heads::partition)
        .containsExactly(1, 2, 0);
    scene.planDue();
    assertThat(scene.planDue().request().slices())
        .extracting(Heads::partition)
        .containsExactly(0, 1, 2);
  }

  @Test
  void aReadIsBoundedByTheRoomAndALaneByAPartOfIt() {
    scene = scene(window(40).windowBytes(10_000), handler("mailer"));
    DueRequest request = scene.planDue().request();
    assertThat(request.maxRows()).isEqualTo(40);
    assertThat(request.maxBytes()).isEqualTo(10_000);
    assertThat(request.rowsPerLane()).isEqualTo(10);

    request = scene(window(5_000), handler("mailer")).planDue().request();
    assertThat(request.maxRows()).isEqualTo(1_000);
    assertThat(request.rowsPerLane()).isEqualTo(64);
    assertThat(scene(window(3), handler("mailer")).planDue().request().rowsPerLane()).isOne();
  }

  @Test
  void nothingIsReadWhileTheWindowIsFull() {
    scene = scene(window(2), handler("mailer"));
    assertThat(intake().isFull()).isFalse();
    scene.readDue(deferred(1, "a", "mailer"), deferred(2, "b", "mailer"));
    assertThat(intake().isFull()).isTrue();
    assertThat(intake().planDue()).isEmpty();
  }

  @Test
  void nothingIsReadForAHandlerThatIsPaused() {
    scene.pause("mailer");
    assertThat(intake().planDue()).isEmpty();
    scene.heard();
    scene.pause();
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
    assertThat(intake().planDue()).isPresent();
  }

  @Test
  void whatIsInMemoryIsPassedOver() {
    scene.readDue(deferred(1, "a", "mailer"));
    assertThat(scene.planDue().request().known())
        .containsExactly(new DueRequest.Row(0, 1, "mailer"));
    scene.deliver("mailer");
    assertThat(scene.planDue().request().known()).hasSize(1);
    scene.settle();
    assertThat(scene.planDue().request().known()).isEmpty();
  }

  @Test
  void whileADestinationIsDownAFewLanesAreReadToBeTried() {
    scene.readDue(deferred(1, "a", "mailer"));
    WorkBatch batch = scene.take("mailer");
    scene.memory.dispatcher().destinationDown(handlerOf(batch));
    scene.finish(batch, RETRY);
    scene.settle();
    assertThat(intake().planDue()).as("nothing may be tried yet").isEmpty();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsExactly(8);
    scene.readDue(deferred(2, "b", "mailer"));
    assertThat(intake().planDue()).as("there is one to be tried").isEmpty();
  }

  @Test
  void noHandlerReadsMoreThanItsShareOfTheWindow() {
    scene = scene(window(100), handler("mailer"), handler("audit"), handler("ledger"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 1), "mailer");
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsExactly(33);
  }

  @Test
  void aReadIsNotMadeForAFewRows() {
    scene = scene(window(16), handler("mailer"));
    for (int seq = 1; seq <= 12; seq++) {
      scene.readDue(deferred(seq, "k" + seq, "mailer"));
    }
    assertThat(scene.planDue().request().slices()).extracting(Heads::most).containsExactly(4);
    scene.readDue(deferred(13, "k13", "mailer"));
    assertThat(intake().planDue()).isEmpty();
  }

  // --- what came

  @Test
  void rowsOfALaneAreDeliveredInOrder() {
    assertThat(
            scene.readDue(
                deferred(1, "a", "mailer"), deferred(2, "a", "mailer"), deferred(3, "b", "mailer")))
        .isEqualTo(3);
    assertThat(scene.deliver("mailer")).containsExactly(1L, 2L);
    assertThat(scene.deliver("mailer")).containsExactly(3L);
    assertThat(MemoryScene.deferred(scene.settle()))
        .containsExactly("1 mailer=Delivered", "2 mailer=Delivered", "3 mailer=Delivered");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aRowThatIsNotDueHoldsWhatStandsBehindIt() {
    assertThat(
            scene.readDue(
                deferred(1, "a", "mailer"), notDue(2, "a", "mailer"), deferred(3, "a", "mailer")))
        .isOne();
    assertThat(scene.deliver("mailer")).containsExactly(1L);
    scene.read(message(4, "a"));
    assertThat(ready(scene.settle())).as("2 stands before it").containsExactly("4 mailer=HELD");
  }

  @Test
  void aRowThatIsLateIsDue() {
    DeferredMessage late =
        new DeferredMessage(
            message(1, "a"),
            "mailer",
            true,
            DeferReason.RETRYING,
            1,
            "down",
            Duration.ofSeconds(-3),
            Duration.ofSeconds(3));
    assertThat(scene.readDue(late)).isOne();
    assertThat(scene.take("mailer").entry(0).delivery().attempt()).isEqualTo(2);
  }

  @Test
  void whenAllRowsOfALaneAreInMemoryReadyOnesStandBehindThem() {
    scene.readDue(deferred(1, "a", "mailer"));
    scene.read(message(2, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L, 2L);
  }

  @Test
  void aLaneThatWasCutMayHaveMoreBehindTheLastRow() {
    scene.acceptDue(scene.planDue(), true, deferred(1, "b", "mailer"), deferred(2, "a", "mailer"));
    scene.read(message(4, "a"), message(5, "b"));
    assertThat(ready(scene.settle())).containsExactly("4 mailer=HELD");
    assertThat(scene.deliver("mailer")).as("b was complete").containsExactly(1L, 5L);
  }

  @Test
  void aLaneOfWhichTheMostRowsWereReadMayHaveMore() {
    scene = scene(window(8), handler("mailer")); // two of a lane
    scene.readDue(deferred(1, "a", "mailer"), deferred(2, "a", "mailer"));
    scene.read(message(5, "a"));
    assertThat(ready(scene.settle())).containsExactly("5 mailer=HELD");
    scene.read(message(2, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L, 2L, 2L);
  }

  @Test
  void aRowIsTakenOnce() {
    DueIntake.Plan first = scene.planDue();
    assertThat(scene.acceptDue(first, false, deferred(1, "a", "mailer"))).isOne();
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isZero();
    scene.deliver("mailer");
    scene.settle();
    assertThat(scene.acceptDue(first, false, deferred(1, "a", "mailer"))).isZero();
  }

  @Test
  void aRowThatMayBePassedHoldsNobody() {
    scene.readDue(passed(1, "a", "mailer"), deferred(2, "a", "mailer"));
    WorkBatch batch = scene.take("mailer");
    scene.finish(batch, PASSES, Fate.DELIVERED);
    assertThat(MemoryScene.deferred(scene.settle()))
        .containsExactly("1 mailer=RETRYING passed", "2 mailer=Delivered");
  }

  @Test
  void aRowThatMayBePassedNeedsNoReadyRowsBeforeItToBeRead() {
    scene = new MemoryScene(handler("mailer")).holdWithDeferred("mailer");
    assertThat(scene.readDue(passed(1, "a", "mailer"))).isOne();
    assertThat(scene.readDue(deferred(2, "b", "mailer"))).isZero();
  }

  @Test
  void rowsOfAPartitionThatHasGoneElsewhereAreNotTaken() {
    DueIntake.Plan plan = scene.planDue();
    scene.memory.drain(List.of(0));
    assertThat(scene.acceptDue(plan, false, deferred(1, "a", "mailer"))).isZero();
  }

  @Test
  void rowsOfAPartitionThatWasNotAskedForAreNotTaken() {
    scene.hold(1);
    DeferredMessage other = deferred(message(1, 9, "a", 0), "mailer", DeferReason.HELD, 0);
    assertThat(scene.readDue(other)).isZero();
  }

  @Test
  void aReadThatBeganBeforeARowWasOnItsWayDoesNotOpenTheLane() {
    scene.read(message(1, "a"));
    WorkBatch batch = scene.take("mailer");
    DueIntake.Plan before = scene.planDue();
    ReadyIntake.Plan ready = scene.plan();
    scene.finish(batch, RETRY);
    scene.settle();
    assertThat(scene.acceptDue(before, false, deferred(3, "a", "mailer")))
        .as("1 stands before it")
        .isZero();
    scene.accept(ready, message(4, "a"));
    assertThat(ready(scene.settle())).containsExactly("4 mailer=HELD");
  }

  @Test
  void aReadThatBeganAfterARowArrivedSeesIt() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.settle();
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isOne();
    scene.read(message(4, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L, 4L);
  }

  // --- rows of which something else becomes

  @Test
  void aRowThatIsNotDeliveredBecomesWhatIsDecided() {
    assertThat(readDueInstead(deferred(1, "a", "mailer"), DEAD)).isOne();
    assertThat(scene.hasWork("mailer")).isFalse();
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 mailer=Dead");
    scene.read(message(2, "a"));
    assertThat(scene.deliver("mailer")).as("its lane goes on").containsExactly(2L);
  }

  @Test
  void aRowThatStaysHoldsWhatStandsBehindIt() {
    readDueInstead(deferred(1, "a", "mailer"), STAYS);
    scene.read(message(2, "a"));
    assertThat(MemoryScene.ready(scene.settle())).containsExactly("2 mailer=HELD");
  }

  @Test
  void aRowThatStaysButMayBePassedHoldsNobody() {
    readDueInstead(deferred(1, "a", "mailer"), PASSES);
    scene.read(message(2, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void aRowThatNobodyHereTakesIsLeftUnlessSomethingIsDecided() {
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 1), DeferredMessage.UNDECIDED);
    DeferredMessage row = deferred(1, "a", DeferredMessage.UNDECIDED);
    assertThat(scene.readDue(row)).isZero();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(readDueInstead(row, new Fate.Ready())).isOne();
    assertThat(scene.memory.isEmpty()).isFalse();
    assertThat(readDueInstead(row, new Fate.Ready())).as("it is under way").isZero();
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 *=Ready");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void eachRowWithoutALaneIsDecidedOnByItself() {
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 1), DeferredMessage.UNDECIDED);
    List<DeferredMessage> rows =
        List.of(passed(1, null, DeferredMessage.UNDECIDED), passed(2, null, "*"));
    assertThat(
            intake()
                .acceptDue(
                    scene.planDue(),
                    new DueResult(rows, false),
                    rows.stream().map(row -> new DueIntake.Routed(row, new Fate.Ready())).toList()))
        .isEqualTo(2);
  }

  @Test
  void rowsOfHandlersThatAreGoneBecomeWhatIsDecided() {
    HeldPartition partition = scene.held(0);
    DeferredMessage row = deferred(1, "a", "gone");
    intake().acceptOrphans(partition, List.of(new DueIntake.Routed(row, DEAD)));
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 gone=Dead");

    scene.memory.drain(List.of(0));
    intake()
        .acceptOrphans(partition, List.of(new DueIntake.Routed(deferred(2, "a", "gone"), DEAD)));
    assertThat(scene.takeOutcomes()).as("it is another relay's affair").isEmpty();
  }

  // --- who has deferred rows

  @Test
  void aPartitionThatCameIsLookedAtOnce() {
    scene.memory.partitions().hold(MemoryScene.ME, List.of(new PartitionOwner(5, null, 1)));
    List<HeldPartition> toLoad = intake().partitionsToLoad();
    assertThat(toLoad).extracting(HeldPartition::partition).containsExactly(5);
    intake().deferredHandlers(toLoad, Map.of(5, Set.of("mailer")), intake().lookBegins());
    assertThat(intake().partitionsToLoad()).isEmpty();
    assertThat(intake().deferredHandlers())
        .isEqualTo(Map.of(0, Set.of("mailer"), 5, Set.of("mailer")));
    assertThat(intake().readablePartitions()).containsOnlyKeys(0, 5);
  }

  @Test
  void aHandlerThatNoLongerHasRowsIsForgotten() {
    Collection<HeldPartition> all = intake().readablePartitions().values();
    intake().deferredHandlers(all, Map.of(), intake().lookBegins());
    assertThat(intake().deferredHandlers()).isEmpty();
  }

  @Test
  void aHandlerOfWhichARowArrivedAfterTheLookBeganIsNotForgotten() {
    scene = new MemoryScene(handler("mailer")).hold(0);
    scene.read(message(1, "a"));
    Collection<HeldPartition> all = intake().readablePartitions().values();
    long look = intake().lookBegins();
    scene.finish(scene.take("mailer"), RETRY);
    scene.settle();
    intake().deferredHandlers(all, Map.of(), look);
    assertThat(intake().deferredHandlers()).isEqualTo(Map.of(0, Set.of("mailer")));
  }

  @Test
  void readsBeginElsewhereWhenManyRowsAreGoneOrReadsAreSlow() {
    scene.hold(1);
    assertThat(intake().deferredFloorsToRaise(false)).as("of a new owner").containsExactly(0, 1);
    intake().deferredFloorsRaised(List.of(0, 1));
    assertThat(intake().deferredFloorsToRaise(false)).isEmpty();
    assertThat(intake().deferredFloorsToRaise(true)).containsExactly(0, 1);
    scene.readDue(deferred(1, "a", "mailer"));
    scene.deliver("mailer");
    scene.settle();
    scene.pass(Duration.ofMinutes(1));
    intake().deferredFloorsRaised(List.of(1));
    assertThat(intake().deferredFloorsToRaise(false)).containsExactly(0);
    intake().deferredFloorsRaised(List.of(0));
    assertThat(intake().deferredFloorsToRaise(false)).isEmpty();
    scene.memory.drain(List.of(0));
    assertThat(intake().deferredFloorsToRaise(true)).containsExactly(1);
  }

  @Test
  void lanesThatAreBlockedAreCountedByHandler() {
    intake().blockedLanes(Map.of("mailer", 3, "of another relay", 4));
    assertThat(scene.status().blockedLanes()).isEqualTo(3);
    intake().blockedLanes(Map.of());
    assertThat(scene.status().blockedLanes()).isZero();
  }

  // --- lanes that operators block

  @Test
  void whatWaitsInALaneThatIsBlockedGoesBackToTheTable() {
    scene.read(message(1, "a"), message(2, "a"), message(3, "b"));
    ReadyIntake.Plan underWay = scene.plan();
    assertThat(intake().blockedByHand(List.of(new LaneId(0, "mailer", "a"))))
        .as("one had something in memory")
        .isOne();
    assertThat(ready(scene.settle())).containsExactly("1 mailer=HELD", "2 mailer=HELD");
    assertThat(scene.deliver("mailer")).containsExactly(3L);
    scene.accept(underWay, message(4, "a"));
    assertThat(ready(scene.settle())).containsExactly("3", "4 mailer=HELD");
  }

  @Test
  void aLaneThatHasNothingThatWaitsIsLeftAlone() {
    scene.read(message(1, "a"), message(2, null));
    scene.take("mailer");
    assertThat(
            intake()
                .blockedByHand(
                    List.of(
                        new LaneId(0, "mailer", "a"),
                        new LaneId(0, "mailer", "unknown"),
                        new LaneId(0, "mailer", "\0002"))))
        .isZero();
    assertThat(scene.takeOutcomes()).isEmpty();
  }

  @Test
  void aHandlerWhoseRowsHaveArrivedAndGoneIsForgottenByTheNextLook() {
    scene = new MemoryScene(handler("mailer")).hold(0);
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.settle();
    Collection<HeldPartition> all = intake().readablePartitions().values();
    intake().deferredHandlers(all, Map.of(), intake().lookBegins());
    assertThat(intake().deferredHandlers()).isEmpty();
  }

  @Test
  void ofALaneThatIsBlockedNothingIsRememberedAfterTheNextRead() {
    scene.readDue(deferred(1, "a", "mailer"));
    assertThat(scene.status().lanesInMemory()).isOne();
    intake().blockedByHand(List.of(new LaneId(0, "mailer", "a")));
    assertThat(scene.hasWork("mailer")).isFalse();
    scene.plan();
    assertThat(scene.status().lanesInMemory()).isZero();
  }

  @Test
  void ofALaneOfWhichNothingWasTakenNothingIsRemembered() {
    scene.readDue(notDue(1, "a", "mailer"));
    scene.plan();
    assertThat(scene.status().lanesInMemory()).isZero();
  }

  @Test
  void ofALaneOfWhichAllIsDoneNothingIsRemembered() {
    scene.readDue(deferred(1, "a", "mailer"));
    scene.deliver("mailer");
    assertThat(scene.status().lanesInMemory()).as("its row is still there").isOne();
    scene.settle();
    assertThat(scene.status().lanesInMemory()).isZero();
  }

  @Test
  void eachLaneOfAReadIsCompleteByItself() {
    scene = scene(window(8), handler("mailer")); // two of a lane
    scene.readDue(deferred(1, "b", "mailer"), deferred(2, "a", "mailer"));
    scene.read(message(5, "a"));
    scene.deliver("mailer");
    assertThat(scene.deliver("mailer")).containsExactly(2L, 5L);
  }

  @Test
  void aRowThatArrivedWhileAReadWasUnderWayWaitsForTheNextOne() {
    scene.read(message(1, "a"));
    WorkBatch batch = scene.take("mailer");
    DueIntake.Plan underWay = scene.planDue();
    scene.finish(batch, RETRY);
    scene.settle();
    assertThat(scene.acceptDue(underWay, false, deferred(1, "a", "mailer"))).isZero();
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isOne();
    scene.read(message(2, "a"));
    assertThat(scene.deliver("mailer")).as("nothing else is in the table").containsExactly(1L, 2L);
  }

  @Test
  void aPartitionIsNotDrainedWhileARowOfNobodyIsUnderWay() {
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 1), DeferredMessage.UNDECIDED);
    readDueInstead(deferred(1, "a", DeferredMessage.UNDECIDED), new Fate.Ready());
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).isEmpty();
    scene.settle();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }
}
