/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.ME;
import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.deferred;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.handlerOf;
import static io.posthorn.internal.memory.MemoryScene.message;
import static io.posthorn.internal.memory.MemoryScene.passed;
import static io.posthorn.internal.memory.MemoryScene.ready;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.internal.memory.MemoryScene.Signal;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the lease, the settler and operators do to the memory. */
class RelayMemoryTest {
  private static final Fate DEAD = new Fate.Dead(3, "broken");

  private MemoryScene scene = new MemoryScene(handler("mailer")).hold(0);

  // --- outcomes

  @Test
  void outcomesAreTakenInOrderAndNoMoreThanAreWanted() {
    scene.read(message(1, "a"), message(2, "b"), message(3, "c"));
    scene.deliver("mailer");
    scene.deliver("mailer");
    scene.deliver("mailer");
    assertThat(scene.heard()).contains(Signal.OUTCOME);
    assertThat(seqs(scene.memory.takeOutcomes(2))).containsExactly(1L, 2L);
    assertThat(seqs(scene.memory.takeOutcomes(2))).containsExactly(3L);
    assertThat(scene.memory.takeOutcomes(2)).isEmpty();
  }

  private static List<Long> seqs(List<PendingSettlement> outcomes) {
    return outcomes.stream().map(outcome -> outcome.message().seq()).toList();
  }

  @Test
  void aMessageIsInMemoryUntilItsOutcomeIsStored() {
    scene.read(message(0, 1, "a", 100));
    scene.deliver("mailer");
    List<PendingSettlement> outcomes = scene.takeOutcomes();
    assertThat(scene.memory.isEmpty()).isFalse();
    assertThat(scene.status().inMemory()).isOne();
    assertThat(scene.status().bytesInMemory()).isEqualTo(612);
    assertThat(scene.status().lanesInMemory()).as("nothing of the lane is left").isZero();
    scene.memory.settled(outcomes);
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(scene.status().bytesInMemory()).isZero();
  }

  @Test
  void anOutcomeTellsTheMessageAndItsDeadLetters() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), DEAD);
    PendingSettlement split = scene.takeOutcomes().get(0);
    assertThat(split.isSplit()).isTrue();
    assertThat(split.deadLetters()).isEqualTo(Map.of("mailer", DEAD));
    assertThat(split.owner()).isEqualTo(ME);
    assertThat(split.describe())
        .isEqualTo("\"00000000-0000-0000-0000-000000000001\" (partition 0, seq 1)");

    scene.finish(scene.take("audit"), DEAD);
    PendingSettlement row = scene.takeOutcomes().get(0);
    assertThat(row.isSplit()).isFalse();
    assertThat(row.deadLetters()).isEqualTo(Map.of("audit", DEAD));
  }

  @Test
  void anOutcomeWithoutDeadLettersHasNone() {
    scene.read(message(1, "a"), message(2, "b"));
    scene.deliver("mailer");
    scene.finish(scene.take("mailer"), RETRY);
    List<PendingSettlement> outcomes = scene.takeOutcomes();
    assertThat(outcomes).allSatisfy(it -> assertThat(it.deadLetters()).isEmpty());
    assertThat(outcomes).extracting(PendingSettlement::isSplit).containsExactly(false, true);
  }

  @Test
  void whatIsStoredNamesTheRowItsMessageAndItsKey() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    Settlement.Ready row = scene.settle().ready().get(0);
    StoredMessage stored = message(1, "a");
    assertThat(row)
        .isEqualTo(
            new Settlement.Ready(
                0,
                1,
                stored.envelope().id(),
                "a",
                List.of(new Settlement.Leftover("mailer", RETRY)),
                List.of()));
  }

  @Test
  void whenARetryIsStoredItsHandlerHasDeferredRowsThere() {
    assertThat(scene.memory.dueIntake().deferredHandlers()).isEmpty();
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    assertThat(scene.memory.dueIntake().deferredHandlers()).isEqualTo(Map.of(0, Set.of("mailer")));
    scene.heard();
    scene.settle();
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
  }

  @Test
  void aDeadLetterLeavesNoDeferredRowUnlessItBlocksItsLane() {
    scene.read(message(1, "a"), message(2, null));
    scene.finish(scene.take("mailer"), DEAD);
    scene.finish(scene.take("mailer"), new Fate.Dead(3, "broken", true));
    scene.settle();
    assertThat(scene.memory.dueIntake().deferredHandlers()).as("2 has no key").isEmpty();
    scene.read(message(3, "b"));
    scene.finish(scene.take("mailer"), new Fate.Dead(3, "broken", true));
    assertThat(scene.memory.dueIntake().deferredHandlers()).isEqualTo(Map.of(0, Set.of("mailer")));
  }

  @Test
  void whenADeferredRowIsSettledTheNextOfItsLaneMayBeDue() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.acceptDue(scene.planDue(), true, deferred(1, "a", "mailer"));
    scene.deliver("mailer");
    scene.heard();
    scene.settle();
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
  }

  @Test
  void whenAllRowsOfALaneWereInMemoryNobodyHasToLook() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(1, "a", "mailer"));
    scene.deliver("mailer");
    scene.heard();
    scene.settle();
    assertThat(scene.heard()).doesNotContain(Signal.DEFERRED_ROWS);
  }

  @Test
  void whenASplitRowIsStoredWorkersAreToldOfThoseThatWaitedForIt() {
    scene = new MemoryScene(handler("mailer"), handler("ledger").transactional()).hold(0);
    scene.read(message(1, "a"));
    assertThat(scene.getsNothing("ledger")).isTrue();
    scene.heard();
    scene.settle();
    assertThat(scene.heard()).contains(Signal.WORK).doesNotContain(Signal.DEFERRED_ROWS);
    assertThat(scene.deliver("ledger")).containsExactly(1L);
  }

  @Test
  void outcomesOfAPartitionThatIsGoneChangeNothing() {
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    List<PendingSettlement> late = scene.takeOutcomes();
    scene.memory.expelled();
    scene.hold(0).read(message(1, "a"));
    scene.memory.settled(late);
    scene.memory.abandoned(late);
    assertThat(scene.status().inMemory()).isOne();
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  // --- outcomes that are refused

  @Test
  void aReadyRowWhoseOutcomeIsRefusedIsNotReadAgain() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.memory.abandoned(scene.takeOutcomes());
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.pass(Duration.ofHours(1));
    assertThat(scene.read(message(1, "a")).added()).isZero();
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void handlersThatWaitForARowThatIsRefusedDoNotGetTheMessage() {
    scene = new MemoryScene(handler("mailer"), handler("ledger").transactional()).hold(0);
    scene.read(message(1, "a"));
    scene.memory.abandoned(scene.takeOutcomes());
    HandlerLanes ledger = scene.worker("ledger");
    assertThat(ledger.inMemory()).isZero();
    assertThat(scene.memory.dispatcher().nextBatch(ledger, null)).isNull();
    assertThat(scene.getsNothing("mailer")).isTrue();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(scene.status().lanesInMemory()).isZero();
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aDeliveryThatIsUnderWayWhenTheSplitIsRefusedEnds() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    WorkBatch audit = scene.take("audit");
    scene.finish(scene.take("mailer"), RETRY);
    scene.memory.abandoned(scene.takeOutcomes());
    assertThat(scene.memory.isEmpty()).isFalse();
    scene.finish(audit, Fate.DELIVERED);
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 audit=Delivered");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aDeferredRowWhoseOutcomeIsRefusedIsReadAgainAfterAMinute() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(1, "a", "mailer"));
    scene.deliver("mailer");
    scene.memory.abandoned(scene.takeOutcomes());
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.pass(Duration.ofMinutes(1).minusNanos(1));
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isZero();
    scene.pass(Duration.ofNanos(1));
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isOne();
  }

  // --- hand-over

  @Test
  void whatWasNotStartedOfADrainingPartitionStaysInItsTable() {
    scene.hold(1);
    scene.read(message(0, 1, "a"), message(1, 2, "b"), message(0, 3, "c"));
    scene.memory.drain(List.of(0));
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
    assertThat(scene.memory.partitions().kept()).containsExactly(1);
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  @Test
  void deferredRowsThatWereNotStartedStayInTheirTable() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(1, "a", "mailer"), passed(2, null, "mailer"));
    scene.memory.drain(List.of(0));
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aMessageThatOneHandlerIsDoneWithIsSplitBeforeItsPartitionGoes() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"), message(2, null));
    scene.deliver("mailer");
    scene.deliver("mailer");
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).isEmpty();
    assertThat(ready(scene.settle())).containsExactly("1 audit=HELD", "2 audit=WAITING passed");
    assertThat(scene.hasWork("audit")).isFalse();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aMessageThatOneHandlerIsAtWorkOnIsSplitForTheOthers() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    WorkBatch mailer = scene.take("mailer");
    scene.memory.drain(List.of(0));
    assertThat(ready(scene.settle())).containsExactly("1 audit=HELD mailer=HELD");
    scene.finish(mailer, Fate.DELIVERED);
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 mailer=Delivered");
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aMessageThatNoHandlerHasStartedIsDroppedWhole() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.memory.drain(List.of(0));
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.pass(Duration.ofSeconds(5));
    assertThat(scene.memory.readyIntake().makeRoom()).isZero();
  }

  @Test
  void drainingTwiceIsHarmless() {
    scene.read(message(1, "a"));
    scene.memory.drain(List.of(0));
    scene.memory.drain(List.of(0, 7));
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aReleasedPartitionIsForgottenAndMayComeAgain() {
    scene.read(message(1, "a"));
    scene.memory.drain(List.of(0));
    scene.memory.released(List.of(0, 7));
    assertThat(scene.memory.partitions().epochs()).isEmpty();
    assertThat(scene.status().lanesInMemory()).isZero();
    scene.hold(0).read(message(1, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void ofAReleasedPartitionNothingIsRememberedOfItsLanes() {
    scene.hold(1);
    scene.read(message(0, 1, "a"), message(1, 2, "b"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.settle();
    scene.memory.drain(List.of(0));
    scene.memory.released(List.of(0));
    scene.hold(0).read(message(0, 3, "a"));
    assertThat(scene.deliver("mailer")).as("of the other partition").containsExactly(2L);
    assertThat(scene.deliver("mailer")).as("the read would tell").containsExactly(3L);
  }

  @Test
  void anExpelledRelayHasNothing() {
    scene.hold(1);
    scene.read(message(0, 1, "a"), message(1, 2, "b"), message(0, 3, "c"));
    WorkBatch underWay = scene.take("mailer");
    scene.deliver("mailer");
    scene.memory.expelled();
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(scene.memory.partitions().epochs()).isEmpty();
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.hasWork("mailer")).isFalse();
    assertThat(scene.status().bytesInMemory()).isZero();
    assertThat(underWay.entry(0).isHeld()).isFalse();
    assertThat(handlerOf(underWay).inMemory()).isZero();
    scene.finish(underWay, Fate.DELIVERED);
    assertThat(scene.status().lanesInMemory()).isZero();
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aLaneWithADeliveryUnderWayWaitsForItInTheNextLife() {
    scene.read(message(1, "a"), message(2, "b"));
    WorkBatch underWay = scene.take("mailer");
    scene.memory.expelled();
    scene.holdAs(new RelayIdentity("a", 2), 0);
    scene.read(message(1, "a"), message(2, "b"));
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    assertThat(scene.hasWork("mailer")).as("two deliveries of a lane never overlap").isFalse();
    scene.finish(underWay, Fate.DELIVERED);
    assertThat(scene.deliver("mailer")).containsExactly(1L);
    assertThat(ready(scene.settle())).containsExactly("2", "1");
  }

  @Test
  void whenTheDatabaseMayHaveLostCommitsAllPartitionsAreDrainedAndReadAnew() {
    scene.hold(new PartitionOwner(0, ME, 7, 0, 50));
    scene.hold(new PartitionOwner(1, ME, 7, 0, 60));
    scene.read(message(0, 70, "a"));
    scene.memory.startOver(Map.of(1, 33L));
    assertThat(scene.memory.partitions().drained()).containsExactly(0, 1);
    assertThat(scene.memory.partitions().kept()).isEmpty();
    assertThat(scene.held(0).floor()).isZero();
    assertThat(scene.held(1).floor()).isEqualTo(33);
  }

  // --- operators

  private boolean pauses(Pause... pauses) {
    return scene.memory.pauses(Set.of(pauses));
  }

  private static Pause pause(Paused kind, String name) {
    return new Pause(kind, name, Instant.EPOCH);
  }

  @Test
  void aPausedHandlerGetsNothingUntilItGoesOn() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    assertThat(pauses(pause(Paused.HANDLER, "mailer"))).as("nothing goes on").isFalse();
    assertThat(scene.hasWork("mailer")).isFalse();
    assertThat(scene.hasWork("audit")).isTrue();
    RelayStatus status = scene.status();
    assertThat(status.handlers().get("mailer").paused()).isTrue();
    assertThat(status.handlers().get("audit").paused()).isFalse();
    assertThat(pauses(pause(Paused.HANDLER, "mailer"))).isFalse();
    scene.heard();
    assertThat(pauses()).isTrue();
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
    assertThat(scene.hasWork("mailer")).isTrue();
  }

  @Test
  void aHandlerGoesOnThoughAnotherStaysPaused() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    pauses(pause(Paused.HANDLER, "mailer"), pause(Paused.HANDLER, "audit"));
    assertThat(pauses(pause(Paused.HANDLER, "audit"))).isTrue();
    pauses(pause(Paused.HANDLER, "mailer"), pause(Paused.HANDLER, "audit"));
    assertThat(pauses(pause(Paused.HANDLER, "mailer"))).isTrue();
  }

  @Test
  void aPausedPartitionIsNotRead() {
    scene.hold(1);
    assertThat(pauses(pause(Paused.PARTITION, "1"), pause(Paused.PARTITION, "all"))).isFalse();
    assertThat(scene.memory.partitions().readablePartitions()).containsOnlyKeys(0);
    assertThat(scene.plan().partitions()).hasSize(1);
    assertThat(pauses(pause(Paused.PARTITION, "0"), pause(Paused.PARTITION, "1"))).isFalse();
    assertThat(scene.memory.readyIntake().plan(any -> true)).isEmpty();
    assertThat(pauses(pause(Paused.PARTITION, "1"))).isTrue();
    assertThat(scene.memory.partitions().readablePartitions()).containsOnlyKeys(0);
  }

  @Test
  void aHandlerAndAPartitionMayHaveTheSameName() {
    scene = new MemoryScene(handler("1"), handler("mailer")).hold(0, 1);
    pauses(pause(Paused.HANDLER, "1"));
    assertThat(scene.memory.partitions().readablePartitions()).containsOnlyKeys(0, 1);
    pauses(pause(Paused.PARTITION, "1"));
    assertThat(scene.status().handlers().get("1").paused()).isFalse();
  }

  @Test
  void aPausedRelayReadsNothing() {
    scene.memory.pause(true);
    assertThat(scene.memory.readyIntake().plan(any -> true)).isEmpty();
    assertThat(scene.memory.readyIntake().moreWaiting()).isFalse();
    scene.memory.pause(false);
    assertThat(scene.memory.readyIntake().plan(any -> true)).isPresent();
  }

  // --- what others ask

  @Test
  void theStatusShowsWhatARelayHas() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0, 3);
    scene.read(message(0, 1, "a", 100), message(3, 2, "b"));
    scene.memory.dueIntake().blockedLanes(Map.of("mailer", 2, "audit", 3));
    HandlerLanes audit = scene.worker("audit");
    scene.memory.dispatcher().destinationDown(audit);
    audit.destinations().down("archive", "no such queue", scene.now);
    RelayStatus status = scene.status();
    assertThat(status.name()).isEqualTo("a");
    assertThat(status.leaseValid()).isTrue();
    assertThat(status.epochs()).isEqualTo(Map.of(0, 7L, 3, 7L));
    assertThat(status.inMemory()).isEqualTo(2);
    assertThat(status.bytesInMemory()).isEqualTo(2 * 512 + 100);
    assertThat(status.lanesInMemory()).isEqualTo(4);
    assertThat(status.blockedLanes()).isEqualTo(5);
    assertThat(status.handlers())
        .isEqualTo(
            Map.of(
                "mailer",
                new RelayStatus.HandlerStatus(false, false, 2, Set.of(), 2, Throughput.NONE),
                "audit",
                new RelayStatus.HandlerStatus(
                    true, false, 3, Set.of("archive"), 2, Throughput.NONE)));
  }

  @Test
  void aClosedLaneIsRememberedUntilTheNextReadTellsOfIt() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    ReadyIntake.Plan before = scene.plan();
    scene.settle();
    assertThat(scene.status().lanesInMemory()).isOne();
    scene.accept(before, message(2, "a"));
    assertThat(ready(scene.settle())).as("1 stands before it").containsExactly("2 mailer=HELD");
    scene.plan();
    assertThat(scene.status().lanesInMemory()).isZero();
  }

  @Test
  void aLaneThatGoesOnMeanwhileIsNotForgotten() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.settle();
    scene.readDue(deferred(1, "a", "mailer"));
    scene.plan();
    assertThat(scene.status().lanesInMemory()).isOne();
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void itIsToldWhenTheNextThingFallsDue() {
    scene.read(message(1, "a"));
    assertThat(scene.memory.nextIn(Duration.ofSeconds(1)))
        .as("whoever waits for a worker is not waited for")
        .isEqualTo(Duration.ofSeconds(1));
    WorkBatch batch = scene.take("mailer");
    scene.memory.dispatcher().destinationDown(handlerOf(batch));
    scene.finish(batch);
    scene.pass(Duration.ofMillis(300));
    assertThat(scene.memory.nextIn(Duration.ofSeconds(1))).isEqualTo(Duration.ofMillis(700));
    scene.pause("mailer");
    assertThat(scene.memory.nextIn(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
  }

  // --- what a handler is given

  @Test
  void aDeliveryTellsTheAttemptTheLastErrorAndTheEpoch() {
    scene.holdWithDeferred("mailer");
    scene.read(message(9, "b"));
    WorkBatch first = scene.take("mailer");
    assertThat(first.entry(0).delivery())
        .matches(delivery -> delivery.attempt() == 1)
        .matches(delivery -> delivery.epoch() == 7)
        .matches(delivery -> delivery.message().seq() == 9)
        .matches(delivery -> delivery.handler().equals("mailer"));
    assertThat(first.entry(0).owner()).isEqualTo(ME);
    assertThat(first.entry(0).message().seq()).isEqualTo(9);
    scene.readDue(deferred(message(1, "a"), "mailer", DeferReason.RETRYING, 2));
    assertThat(scene.take("mailer").entry(0).delivery().attempt()).isEqualTo(3);
  }

  @Test
  void whetherAMessageHasExpiredIsJudgedByWhenItWasRead() {
    ReadyIntake.Plan plan = scene.plan();
    scene.pass(Duration.ofSeconds(2)); // the read takes long
    scene.accept(plan, message(0, 1, "a", 0, Duration.ofSeconds(5)), message(2, "b"));
    LaneEntry entry = scene.take("mailer").entry(0);
    LaneEntry everlasting = scene.take("mailer").entry(0);
    long read = scene.now;
    assertThat(entry.mayHaveExpired(read + Duration.ofSeconds(3).toNanos() - 1)).isFalse();
    assertThat(entry.mayHaveExpired(read + Duration.ofSeconds(3).toNanos())).isTrue();
    assertThat(entry.expired(read + Duration.ofSeconds(5).toNanos() - 1)).isFalse();
    assertThat(entry.expired(read + Duration.ofSeconds(5).toNanos())).isTrue();
    assertThat(everlasting.mayHaveExpired(Long.MAX_VALUE)).isFalse();
    assertThat(everlasting.expired(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void aMessageThatMayHaveExpiredIsReadAgainAsItWas() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(message(1, "a"), "mailer", DeferReason.RETRYING, 2));
    assertThat(scene.take("mailer").entry(0).readAgain())
        .isEqualTo(new Fate.Deferred(DeferReason.WAITING, 2, Duration.ZERO, null, false));
    scene.read(message(3, null));
    assertThat(scene.take("mailer").entry(0).readAgain())
        .isEqualTo(new Fate.Deferred(DeferReason.WAITING, 0, Duration.ZERO, null, true));
  }

  @Test
  void aTransactionalHandlerSettlesItsReadyRow() {
    scene.read(message(1, "a"));
    LaneEntry entry = scene.take("mailer").entry(0);
    assertThat(ready(entry.settlement(false))).containsExactly("1");
    assertThat(entry.settlement(false).ready().get(0).kept()).isEmpty();
    assertThat(entry.settlement(true).ready().get(0).kept()).containsExactly("mailer");
    assertThat(entry.settlement(true).deferred()).isEmpty();
  }

  @Test
  void aTransactionalHandlerSettlesItsDeferredRow() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(1, "a", "mailer"));
    LaneEntry entry = scene.take("mailer").entry(0);
    assertThat(MemoryScene.deferred(entry.settlement(false))).containsExactly("1 mailer=Delivered");
    assertThat(entry.settlement(false).deferred().get(0).fate()).isEqualTo(Fate.DELIVERED);
    assertThat(entry.settlement(true).deferred().get(0).fate()).isEqualTo(Fate.KEPT);
    assertThat(entry.settlement(true).ready()).isEmpty();
  }

  @Test
  void aRowThatWasStoredWithItsDeliveryLeavesTheMemory() {
    scene.holdWithDeferred("mailer");
    scene.read();
    scene.readDue(deferred(1, "a", "mailer"));
    WorkBatch batch = scene.take("mailer");
    batch.endedAndStored(0);
    scene.finish(batch);
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.isEmpty()).isTrue();
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aDoubtAboutACommitIsRemembered() {
    scene.read(message(1, "a"));
    LaneEntry entry = scene.take("mailer").entry(0);
    assertThat(entry.isCommitInDoubt()).isFalse();
    entry.doubtCommit();
    assertThat(entry.isCommitInDoubt()).isTrue();
  }

  @Test
  void anEntryIsHeldUntilItsPartitionDrains() {
    scene.read(message(1, "a"));
    LaneEntry entry = scene.take("mailer").entry(0);
    assertThat(entry.isHeld()).isTrue();
    scene.memory.drain(List.of(0));
    assertThat(entry.isHeld()).isFalse();
  }

  @Test
  void anOptionsWindowBoundsWhatIsInMemory() {
    HandlerSpec<String> mailer = handler("mailer");
    scene = new MemoryScene(RelayOptionsFixture.standard().windowMessages(3), mailer).hold(0);
    assertThat(scene.plan().request().maxRows()).isEqualTo(3);
  }

  @Test
  void everyVerbLeavesTheMemoryToOthersWhenItEnds() {
    othersGetIn("hold");
    ReadyIntake.Plan plan = scene.plan();
    othersGetIn("plan");
    scene.accept(plan, message(1, "a"));
    othersGetIn("accept");
    HandlerLanes worker = scene.worker("mailer");
    othersGetIn("claimWorkers");
    WorkBatch batch = scene.memory.dispatcher().nextBatch(worker, null);
    othersGetIn("nextBatch");
    scene.memory.dispatcher().finish(worker, requireNonNull(batch, "batch"));
    othersGetIn("finish");
    List<PendingSettlement> outcomes = scene.takeOutcomes();
    othersGetIn("takeOutcomes");
    scene.memory.settled(outcomes);
    othersGetIn("settled");
  }

  private void othersGetIn(String after) {
    assertThat(CompletableFuture.supplyAsync(scene.memory::isEmpty))
        .as("after " + after)
        .succeedsWithin(Duration.ofSeconds(10));
  }

  // --- errors

  @Test
  void whoeverLeavesTheMemoryHalfChangedSaysSo() {
    OutOfMemoryError none = new OutOfMemoryError("as a test wants it");
    scene.whenOutcomeWaits =
        () -> {
          throw none;
        };
    scene.heard();

    assertThatThrownBy(
            () ->
                scene.readWithLeftover(
                    message(1, "a"), new Settlement.Leftover("other", Outflow.WAITING)))
        .isSameAs(none);
    assertThat(scene.heard()).contains(Signal.BROKEN);
    assertThat(scene.memory.isEmpty()).as("its lock is free").isFalse();
    assertThat(scene.heard()).isEmpty();
  }
}
