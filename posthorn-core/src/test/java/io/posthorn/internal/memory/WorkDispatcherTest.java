/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.batchHandler;
import static io.posthorn.internal.memory.MemoryScene.deferred;
import static io.posthorn.internal.memory.MemoryScene.end;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.handlerOf;
import static io.posthorn.internal.memory.MemoryScene.message;
import static io.posthorn.internal.memory.MemoryScene.notDue;
import static io.posthorn.internal.memory.MemoryScene.ready;
import static io.posthorn.internal.memory.MemoryScene.seqs;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.internal.memory.MemoryScene.Signal;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What workers get, and what becomes of what they hand in. */
class WorkDispatcherTest {
  private static final Fate PASSED =
      new Fate.Deferred(DeferReason.RETRYING, 1, Duration.ofSeconds(5), null, true);
  private static final Fate DEAD = new Fate.Dead(3, "broken");
  private static final Fate DEAD_BLOCKING = new Fate.Dead(3, "broken", true);

  private MemoryScene scene = new MemoryScene(handler("mailer")).hold(0);
  private final WorkDispatcher dispatcher = scene.memory.dispatcher();

  private static StoredMessage[] messages(String key, int count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(seq -> message(seq, key))
        .toArray(StoredMessage[]::new);
  }

  // --- workers

  @Test
  void eachLaneThatWaitsGetsAWorker() {
    scene.read(message(1, "a"), message(2, "b"), message(3, "b"));

    assertThat(scene.claimed()).containsExactly("mailer", "mailer");
    scene.take("mailer");
    assertThat(scene.claimed()).as("one lane waits").containsExactly("mailer");
  }

  @Test
  void aWorkerThatCouldNotBeStartedIsCountedOut() {
    scene.read(message(1, "a"));
    HandlerLanes handler = dispatcher.claimWorkers().get(0);

    dispatcher.workerNotStarted(handler);

    assertThat(scene.claimed()).containsExactly("mailer");
  }

  @Test
  void aWorkerThatFindsNothingIsCountedOut() {
    scene = new MemoryScene(handler("mailer").concurrency(1)).hold(0);
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    scene.read(message(2, "a"));
    HandlerLanes worker = scene.worker("mailer");
    WorkBatch batch = scene.memory.dispatcher().nextBatch(worker, null);
    assertThat(batch).isNotNull();
    end(batch, Fate.DELIVERED);

    assertThat(scene.memory.dispatcher().nextBatch(worker, batch)).isNull();

    scene.read(message(3, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(3L);
  }

  @Test
  void whilePausedNobodyGetsAnything() {
    scene.read(message(1, "a"));
    HandlerLanes worker = scene.worker("mailer");

    scene.memory.pause(true);

    assertThat(dispatcher.nextBatch(worker, null)).isNull();
    assertThat(scene.claimed()).isEmpty();
    scene.memory.pause(false);
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void whoeverWatchesIsToldThatLanesWaitForBusyWorkers() {
    scene = new MemoryScene(handler("mailer").concurrency(4)).hold(0);
    scene.read(message(1, "a"));
    WorkBatch batch = scene.take("mailer");
    scene.now += 5_000; // it is fast
    scene.finish(batch, Fate.DELIVERED);
    scene.heard();
    scene.read(message(2, "a"), message(3, "b"), message(4, "c"));

    assertThat(scene.claimed()).hasSize(1);
    assertThat(scene.heard()).contains(Signal.WORKERS_HELD_BACK);
  }

  @Test
  void whereEveryLaneGetsAWorkerNobodyHasToWatch() {
    scene.read(message(1, "a"), message(2, "b"));
    scene.claimed();
    assertThat(scene.heard()).doesNotContain(Signal.WORKERS_HELD_BACK);
  }

  @Test
  void anotherWorkerStandsInForOneThatHangsUntilTooManyDo() {
    scene = new MemoryScene(handler("mailer").concurrency(2)).hold(0);
    WorkDispatcher of = scene.memory.dispatcher();
    scene.read(message(1, "a"), message(2, "b"), message(3, "c"), message(4, "d"));
    WorkBatch first = scene.take("mailer");
    WorkBatch second = scene.take("mailer");
    assertThat(scene.claimed()).as("both are at work").isEmpty();

    assertThat(of.workerLost(handlerOf(first))).as("one is left").isFalse();
    WorkBatch third = scene.take("mailer");
    assertThat(seqs(third)).containsExactly(3L);
    assertThat(of.workerLost(handlerOf(second))).as("two of two hang").isTrue();
    scene.finish(third, Fate.DELIVERED);
    assertThat(scene.hasWork("mailer")).as("no more are risked").isFalse();

    end(first, Fate.DELIVERED);
    of.workerBack(handlerOf(first), first);
    assertThat(scene.deliver("mailer")).containsExactly(4L);
    assertThat(ready(scene.settle())).containsExactlyInAnyOrder("1", "3", "4");
  }

  // --- batches

  @Test
  void aWorkerTakesMessagesOfOneLaneInOrderAndNotTooMany() {
    scene.read(messages("a", 40));
    scene.read(message(41, "b"));

    assertThat(seqs(scene.take("mailer")))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 32).boxed().toList());
    assertThat(seqs(scene.take("mailer"))).as("another lane").containsExactly(41L);
    assertThat(scene.hasWork("mailer")).as("the rest waits for the first 32").isFalse();
  }

  @Test
  void theRestOfALaneFollowsWhenWhatWasTakenHasEnded() {
    scene.read(messages("a", 40));
    WorkBatch batch = scene.take("mailer");
    end(batch, Collections.nCopies(32, Fate.DELIVERED).toArray(new Fate[0]));

    WorkBatch rest = dispatcher.nextBatch(handlerOf(batch), batch);

    assertThat(rest).isNotNull();
    assertThat(seqs(rest))
        .containsExactlyElementsOf(LongStream.rangeClosed(33, 40).boxed().toList());
  }

  @Test
  void aBatchHandlerGetsMessagesOfSeveralLanesUpToItsSize() {
    scene = new MemoryScene(batchHandler("broker", 5)).hold(0);
    scene.read(message(1, "a"), message(2, "b"), message(3, "a"), message(4, "c"));
    scene.read(message(5, "c"), message(6, "c"), message(7, "d"));

    assertThat(seqs(scene.take("broker"))).containsExactly(1L, 3L, 2L, 4L, 5L);
    assertThat(seqs(scene.take("broker"))).containsExactly(7L);
  }

  @Test
  void aBatchHandlerGetsNoMoreOfAKeyThanItWants() {
    scene = new MemoryScene(batchHandler("broker", 10).batchPerKey(2)).hold(0);
    scene.read(messages("a", 3));
    scene.read(message(4, "b"));

    assertThat(seqs(scene.take("broker"))).containsExactly(1L, 2L, 4L);
  }

  @Test
  void aBatchHandlerThatWantsOneOfAKeyGetsOne() {
    scene = new MemoryScene(batchHandler("broker", 10).batchPerKey(1)).hold(0);
    scene.read(messages("a", 3));
    scene.read(message(4, "b"));
    assertThat(seqs(scene.take("broker"))).containsExactly(1L, 4L);
  }

  @Test
  void aRateLimitBoundsWhatIsTakenAndWhatWasNotBegunDoesNotCount() {
    scene =
        new MemoryScene(batchHandler("broker", 100).rateLimit(20, Duration.ofSeconds(1))).hold(0);
    scene.read(messages("a", 9));
    WorkBatch batch = scene.take("broker");
    assertThat(seqs(batch)).as("a tenth at once").containsExactly(1L, 2L);
    assertThat(scene.memory.nextIn(Duration.ofSeconds(9))).isEqualTo(Duration.ofSeconds(9));

    scene.finish(batch, Fate.DELIVERED, null);
    WorkBatch again = scene.take("broker");
    assertThat(seqs(again)).as("one was not begun").containsExactly(2L);
    scene.finish(again, Fate.DELIVERED);

    assertThat(scene.hasWork("broker")).isFalse();
    assertThat(scene.memory.nextIn(Duration.ofSeconds(9))).isEqualTo(Duration.ofMillis(50));
    scene.pass(Duration.ofMillis(50));
    assertThat(scene.deliver("broker")).containsExactly(3L);
  }

  @Test
  void whatWasNotBegunGoesOnLaterInOrder() {
    scene.read(messages("a", 3));

    scene.finish(scene.take("mailer"), Fate.DELIVERED);

    assertThat(scene.deliver("mailer")).containsExactly(2L, 3L);
    assertThat(ready(scene.settle())).containsExactly("1", "2", "3");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aLaneIsNeverTakenByTwo() {
    scene.read(messages("a", 1));
    scene.take("mailer");
    scene.read(message(2, "a"));
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  // --- failures

  @Test
  void whatStandsBehindAFailedMessageWaitsInTheTable() {
    scene.read(messages("a", 3));
    WorkBatch batch = scene.take("mailer");
    scene.read(message(4, "a"), message(5, "b"));

    scene.finish(batch, Fate.DELIVERED, RETRY);

    assertThat(ready(scene.settle()))
        .containsExactlyInAnyOrder("1", "2 mailer=RETRYING", "3 mailer=HELD", "4 mailer=HELD");
    assertThat(scene.deliver("mailer")).as("another key").containsExactly(5L);
  }

  @Test
  void laterMessagesJoinThoseThatWaitInTheTable() {
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.read(message(2, "a"));
    assertThat(ready(scene.settle())).containsExactly("1 mailer=RETRYING", "2 mailer=HELD");
  }

  @Test
  void aFailedMessageThatOthersMayPassHoldsNobody() {
    scene.read(messages("a", 3));
    scene.finish(scene.take("mailer"), PASSED, Fate.DELIVERED);
    assertThat(ready(scene.settle())).containsExactly("1 mailer=RETRYING passed", "2");
    assertThat(scene.deliver("mailer")).containsExactly(3L);
  }

  @Test
  void aDeadLetterHoldsItsLaneOnlyIfItBlocksIt() {
    scene.read(messages("a", 2));
    scene.finish(scene.take("mailer"), DEAD);
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    assertThat(ready(scene.settle())).containsExactly("1 mailer=Dead", "2");

    scene.read(message(3, "a"), message(4, "a"));
    scene.finish(scene.take("mailer"), DEAD_BLOCKING);
    assertThat(ready(scene.settle())).containsExactly("3 mailer=Dead", "4 mailer=HELD");
  }

  @Test
  void aFailedMessageWithoutAKeyHoldsNobody() {
    scene.read(message(1, null), message(2, null));
    scene.finish(scene.take("mailer"), RETRY);
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    assertThat(ready(scene.settle())).containsExactly("1 mailer=RETRYING", "2");
  }

  @Test
  void theRelayWakesWhenARetryFallsDue() {
    scene.read(message(1, "a"));
    assertThat(scene.memory.nextIn(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
    scene.finish(scene.take("mailer"), RETRY);

    Duration next = scene.memory.nextIn(Duration.ofMinutes(1));
    assertThat(next).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5_010));
    assertThat(scene.memory.dueIntake().pollDue()).isFalse();
    scene.pass(next);
    assertThat(scene.memory.dueIntake().pollDue()).isTrue();
    assertThat(scene.memory.dueIntake().pollDue()).as("told once").isFalse();
  }

  @Test
  void whatIsStoredWithItsDeliveryIsNotStoredAgain() {
    scene.read(message(1, "a"));
    WorkBatch batch = scene.take("mailer");
    batch.endedAndStored(0);
    scene.finish(batch);
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void whatStandsBehindARowThatIsGoneIsReadAgain() {
    scene.read(messages("a", 2));
    WorkBatch batch = scene.take("mailer");
    scene.read(message(3, "a"));
    scene.heard();
    batch.endedAsGone(0);
    batch.ended(1, Fate.DELIVERED);
    scene.finish(batch);

    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
    assertThat(ready(scene.settle())).containsExactly("3 mailer=HELD", "2");
  }

  @Test
  void whatWasNotBegunBehindARowThatIsGoneIsReadAgain() {
    scene.read(messages("a", 3));
    WorkBatch batch = scene.take("mailer");
    batch.endedAsGone(0);
    scene.finish(batch);
    assertThat(ready(scene.settle())).containsExactly("2 mailer=HELD", "3 mailer=HELD");
  }

  @Test
  void whatWasNotBegunGoesToTheTableIfAnEarlierRowStandsThereByNow() {
    scene.holdWithDeferred("mailer");
    scene.read(message(20, "a"));
    WorkBatch batch = scene.take("mailer");
    scene.read(message(21, "a"));
    assertThat(scene.readDue(notDue(10, "a", "mailer"))).as("an operator retries it").isZero();

    scene.finish(batch);

    assertThat(ready(scene.settle())).containsExactly("20 mailer=HELD", "21 mailer=HELD");
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  // --- hand-over

  @Test
  void whatWasNotBegunOfADrainingPartitionIsDropped() {
    scene.read(messages("a", 3));
    WorkBatch batch = scene.take("mailer");
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.partitions().drained()).as("something is under way").isEmpty();

    scene.finish(batch, Fate.DELIVERED);

    assertThat(ready(scene.settle())).containsExactly("1");
    assertThat(scene.memory.isEmpty()).isTrue();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void whatEndsAfterAnExpulsionCountsForNothing() {
    scene.read(messages("a", 2));
    WorkBatch batch = scene.take("mailer");
    scene.memory.expelled();
    batch.endedAsGone(0);
    scene.heard();

    scene.finish(batch, Fate.DELIVERED);

    assertThat(scene.heard()).doesNotContain(Signal.OUTCOME, Signal.DEFERRED_ROWS);
    assertThat(scene.takeOutcomes()).isEmpty();
    scene.hold(0).read(messages("a", 2));
    assertThat(scene.deliver("mailer")).containsExactly(1L, 2L);
  }

  // --- deliveries that go on beyond their batch

  private MemoryScene sending() {
    scene = new MemoryScene(batchHandler("broker", 10).batchPerKey(1)).hold(0);
    return scene;
  }

  private LaneEntry send(StoredMessage... rows) {
    scene.read(rows);
    WorkBatch batch = scene.take("broker");
    batch.goesOn(0);
    scene.finish(batch);
    return batch.entry(0);
  }

  private void answer(LaneEntry entry, Fate fate, boolean probe) {
    scene
        .memory
        .dispatcher()
        .ended(entry.lane().handler(), List.of(new WorkDispatcher.Ended(entry, fate, probe)));
  }

  @Test
  void aLaneWaitsForTheAnswerToWhatWasSent() {
    sending();
    LaneEntry entry = send(message(1, "a"), message(2, "a"));
    assertThat(scene.hasWork("broker")).isFalse();
    assertThat(scene.takeOutcomes()).isEmpty();

    answer(entry, Fate.DELIVERED, false);

    assertThat(scene.deliver("broker")).containsExactly(2L);
    assertThat(ready(scene.settle())).containsExactly("1", "2");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void whatWasSentAndNotAcceptedIsSentAgain() {
    sending();
    LaneEntry entry = send(message(1, "a"), message(2, "a"));
    answer(entry, null, false);
    assertThat(scene.deliver("broker")).containsExactly(1L);
    assertThat(scene.deliver("broker")).containsExactly(2L);
  }

  @Test
  void whatWasSentAndFailedHoldsItsLane() {
    sending();
    LaneEntry entry = send(message(1, "a"), message(2, "a"));
    answer(entry, RETRY, false);
    assertThat(ready(scene.settle())).containsExactly("1 broker=RETRYING", "2 broker=HELD");
  }

  @Test
  void whatWasSentAndNotAcceptedIsDroppedWhenItsPartitionGoesElsewhere() {
    sending();
    LaneEntry entry = send(message(1, "a"));
    scene.memory.drain(List.of(0));
    assertThat(scene.memory.isEmpty()).as("it may be accepted yet").isFalse();
    answer(entry, null, false);
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void whatWasSentNeedsNoWorkerAndLeavesRoomForOthers() {
    scene =
        new MemoryScene(
                RelayOptionsFixture.standard().windowMessages(8),
                batchHandler("broker", 1).batchPerKey(1).concurrency(1))
            .hold(0);
    List<LaneEntry> sent = new ArrayList<>();
    for (long seq = 1; seq <= 7; seq++) {
      sent.add(send(message(seq, "k" + seq)));
    }
    assertThat(scene.memory.readyIntake().isRoomy()).isTrue();
    sent.forEach(entry -> answer(entry, Fate.DELIVERED, false));
    assertThat(scene.memory.readyIntake().isRoomy()).as("until they are stored").isFalse();
    scene.settle();
    assertThat(scene.memory.readyIntake().isRoomy()).isTrue();
  }

  @Test
  void whatWasSentIsNotCountedAsWaitingUntilItComesBack() {
    sending();
    LaneEntry entry = send(message(1, "a"));
    HandlerLanes broker = entry.lane().handler();
    assertThat(broker.inMemory()).isOne();
    assertThat(broker.unsent()).isZero();
    answer(entry, null, false);
    assertThat(broker.inMemory()).isOne();
    assertThat(broker.unsent()).isOne();
  }

  @Test
  void aMessageThatWasSentUsesUpTheRateUnlessItWasNotAccepted() {
    scene =
        new MemoryScene(
                batchHandler("broker", 10).batchPerKey(1).rateLimit(10, Duration.ofSeconds(1)))
            .hold(0);
    LaneEntry entry = send(message(1, "a"));
    scene.read(message(2, "b"));
    assertThat(scene.hasWork("broker")).isFalse();
    answer(entry, null, false);
    assertThat(scene.hasWork("broker")).isTrue();
  }

  // --- circuits

  private void open() {
    scene.read(message(1, "a"));
    WorkBatch batch = scene.take("mailer");
    assertThat(dispatcher.destinationDown(handlerOf(batch))).as("it is news").isTrue();
    assertThat(dispatcher.destinationDown(handlerOf(batch))).isFalse();
    batch.notBegun(0);
    scene.finish(batch);
  }

  @Test
  void whileADestinationIsDownOneMessageIsTriedNowAndThen() {
    open();
    scene.read(message(2, "b"));
    assertThat(scene.hasWork("mailer")).isFalse();
    assertThat(scene.memory.nextIn(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(1));

    scene.pass(Duration.ofSeconds(1));
    WorkBatch probe = scene.take("mailer");
    assertThat(probe.isProbe()).isTrue();
    assertThat(probe.size()).isOne();
    assertThat(scene.hasWork("mailer")).as("one at a time").isFalse();
    scene.heard();
    scene.finish(probe);

    assertThat(scene.heard()).contains(Signal.WORK);
    assertThat(scene.hasWork("mailer")).isFalse();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.hasWork("mailer")).isTrue();
  }

  @Test
  void whenADestinationIsBackAllIsDelivered() {
    open();
    scene.read(message(2, "b"));
    scene.pass(Duration.ofSeconds(3));
    WorkBatch probe = scene.take("mailer");
    end(probe, Fate.DELIVERED);

    assertThat(dispatcher.destinationBack(handlerOf(probe))).hasValue(Duration.ofSeconds(3));
    assertThat(dispatcher.destinationBack(handlerOf(probe))).as("told once").isEmpty();
    dispatcher.finish(handlerOf(probe), probe);

    assertThat(scene.deliver("mailer")).isNotEmpty();
    assertThat(handlerOf(probe).status(Throughput.NONE).circuitOpen()).isFalse();
  }

  @Test
  void aProbeThatGoesOnBeyondItsBatchEndsWithItsAnswer() {
    sending();
    LaneEntry first = send(message(1, "a"));
    WorkDispatcher of = scene.memory.dispatcher();
    of.destinationDown(first.lane().handler());
    answer(first, null, false);
    scene.pass(Duration.ofSeconds(1));
    WorkBatch probe = scene.take("broker");
    probe.goesOn(0);
    scene.finish(probe);
    scene.read(message(2, "b"));
    scene.pass(Duration.ofMinutes(1));
    assertThat(scene.hasWork("broker")).as("no answer yet").isFalse();

    answer(probe.entry(0), null, true);

    assertThat(scene.hasWork("broker")).isFalse();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.hasWork("broker")).isTrue();
  }

  @Test
  void whenTheDatabaseIsBackHandlersThatNeedItAreTriedAtOnce() {
    HandlerSpec<String> ledger = handler("ledger").transactional();
    scene = new MemoryScene(handler("mailer"), ledger).hold(0);
    scene.read(message(1, "a"));
    scene.settleAll();
    for (String name : List.of("mailer", "ledger")) {
      WorkBatch batch = scene.take(name);
      scene.memory.dispatcher().destinationDown(handlerOf(batch));
      scene.finish(batch);
    }
    assertThat(scene.hasWork("mailer") || scene.hasWork("ledger")).isFalse();

    scene.memory.dispatcher().databaseBack();

    assertThat(scene.hasWork("ledger")).isTrue();
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  // --- room

  @Test
  void deferredRowsThatHadNoRoomAreReadWhenTheirHandlerHasRoomAgain() {
    scene =
        new MemoryScene(
                RelayOptionsFixture.standard().windowMessages(4),
                handler("mailer"),
                HandlerSpec.of("audit", "other", String.class, (payload, delivery) -> {}))
            .holdWithDeferred("mailer");
    scene.read(message(1, null), message(2, null));
    WorkBatch batch = scene.take("mailer");
    assertThat(scene.memory.dueIntake().planDue()).as("its share is used up").isEmpty();
    scene.heard();
    scene.finish(scene.take("mailer"));
    assertThat(scene.heard()).as("there is no room yet").doesNotContain(Signal.DEFERRED_ROWS);

    scene.finish(batch, Fate.DELIVERED);

    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
    scene.deliver("mailer");
    assertThat(scene.heard()).as("asked for once").doesNotContain(Signal.DEFERRED_ROWS);
    assertThat(scene.readDue(deferred(3, "c", "mailer"))).isOne();
  }

  @Test
  void whenADestinationIsBackDeferredRowsThatWaitedAreRead() {
    open();
    scene.holdWithDeferred("mailer");
    assertThat(scene.memory.dueIntake().planDue()).isEmpty();
    WorkDispatcher of = scene.memory.dispatcher();
    scene.read(message(2, "b"));
    scene.pass(Duration.ofSeconds(1));
    HandlerLanes mailer = scene.worker("mailer");
    scene.heard();
    of.destinationBack(mailer);
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
  }
}
