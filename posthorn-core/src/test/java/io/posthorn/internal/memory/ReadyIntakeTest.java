/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.deferred;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.message;
import static io.posthorn.internal.memory.MemoryScene.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.internal.memory.MemoryScene.Signal;
import io.posthorn.internal.memory.ReadyIntake.Accepted;
import io.posthorn.internal.memory.ReadyIntake.Doubt;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadResult.Server;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is read of the ready table, and what becomes of it. */
class ReadyIntakeTest {
  private MemoryScene scene = new MemoryScene(handler("mailer")).hold(0);

  private static RelayOptions window(int messages) {
    return RelayOptionsFixture.standard().windowMessages(messages);
  }

  private static HandlerSpec<String> ofOtherType(String name) {
    return HandlerSpec.of(name, "other", String.class, (payload, delivery) -> {});
  }

  private ReadyIntake intake() {
    return scene.memory.readyIntake();
  }

  private Map<Integer, Integer> limits(ReadyIntake.Plan plan) {
    Map<Integer, Integer> limits = new TreeMap<>();
    plan.request().slices().forEach(slice -> limits.put(slice.partition(), slice.limit()));
    return limits;
  }

  // --- what to read

  @Test
  void aRelayThatHoldsNothingReadsNothing() {
    scene = new MemoryScene(handler("mailer"));
    assertThat(intake().plan(any -> true)).isEmpty();
    assertThat(intake().moreWaiting()).isFalse();
  }

  @Test
  void aPartitionIsReadOnceItIsKnownWhoHasDeferredRowsThere() {
    scene = new MemoryScene(handler("mailer"));
    scene
        .memory
        .partitions()
        .hold(MemoryScene.ME, List.of(new PartitionOwner(3, MemoryScene.ME, 1)));
    assertThat(intake().plan(any -> true)).isEmpty();
    long look = scene.memory.dueIntake().lookBegins();
    scene
        .memory
        .dueIntake()
        .deferredHandlers(scene.memory.dueIntake().partitionsToLoad(), Map.of(), look);
    assertThat(scene.plan().request().slices()).extracting(Slice::partition).containsExactly(3);
  }

  @Test
  void aNewPartitionIsReadAtOnceAndThenWhenItIsWanted() {
    assertThat(intake().moreWaiting()).isTrue();
    scene.accept(intake().plan(any -> false).orElseThrow());
    assertThat(intake().moreWaiting()).isFalse();
    assertThat(intake().plan(any -> false)).isEmpty();
    assertThat(intake().plan(number -> number == 0)).isPresent();
    assertThat(intake().plan(number -> number == 1)).isEmpty();
  }

  @Test
  void onlyWhatIsWantedOrHasMoreIsRead() {
    scene.hold(1, 2);
    scene.read();
    ReadyIntake.Plan one = intake().plan(number -> number == 1).orElseThrow();
    assertThat(limits(one)).containsOnlyKeys(1);
  }

  @Test
  void nothingIsReadWhileTheWindowIsFull() {
    scene = new MemoryScene(window(4), handler("mailer")).hold(0);
    scene.read(message(1, "a"), message(2, "b"), message(3, "c"), message(4, "d"));
    assertThat(intake().isFull()).isTrue();
    assertThat(intake().isRoomy()).isFalse();
    assertThat(intake().plan(any -> true)).isEmpty();
    scene.deliver("mailer");
    assertThat(intake().isFull()).as("its outcome is not stored").isTrue();
    scene.settle();
    assertThat(intake().isFull()).isFalse();
    assertThat(intake().isRoomy()).isTrue();
    assertThat(scene.plan().request().maxRows()).isOne();
  }

  @Test
  void aReadIsBoundedByTheRoomInRowsAndBytes() {
    scene = new MemoryScene(window(100).windowBytes(10_000), handler("mailer")).hold(0);
    assertThat(scene.plan().request().maxRows()).isEqualTo(100);
    assertThat(scene.plan().request().maxBytes()).isEqualTo(10_000);
    scene.read(message(0, 1, "a", 1_000));
    assertThat(scene.plan().request().maxRows()).isEqualTo(99);
    assertThat(scene.plan().request().maxBytes())
        .isEqualTo(10_000 - 1_000 - ReadRequest.ROW_OVERHEAD_BYTES);
  }

  @Test
  void partitionsThatAreAllNewShareTheRoom() {
    scene = new MemoryScene(window(100), handler("mailer")).hold(0, 1, 2, 3);
    assertThat(limits(scene.plan())).isEqualTo(Map.of(0, 25, 1, 25, 2, 25, 3, 25));
  }

  @Test
  void partitionsThatHadNoRowsAreAskedForAFew() {
    scene = new MemoryScene(window(100), handler("mailer")).hold(0, 1);
    scene.read();
    assertThat(limits(scene.plan())).isEqualTo(Map.of(0, 8, 1, 8));
  }

  @Test
  void manyPartitionsThatHadNoRowsShareTheRoom() {
    scene = new MemoryScene(window(30), handler("mailer"));
    scene.hold(IntStream.range(0, 10).toArray());
    scene.read();
    assertThat(limits(scene.plan()).values()).containsOnly(3);
  }

  @Test
  void thoseThatHadMoreGetMostOfTheRoom() {
    scene = new MemoryScene(window(100), handler("mailer")).hold(0, 1, 2);
    scene.read();
    scene.hold(3);
    assertThat(limits(scene.plan())).isEqualTo(Map.of(0, 8, 1, 8, 2, 8, 3, 76));
  }

  @Test
  void whereThereIsLittleRoomThoseThatHadMoreGetHalfOfIt() {
    scene = new MemoryScene(window(12), handler("mailer")).hold(0, 1, 2);
    scene.read();
    scene.hold(3);
    assertThat(limits(scene.plan())).isEqualTo(Map.of(0, 2, 1, 2, 2, 2, 3, 6));
  }

  @Test
  void eachPartitionIsAskedForOneRowAtLeast() {
    scene = new MemoryScene(window(2), handler("mailer")).hold(0, 1, 2, 3, 4);
    assertThat(limits(scene.plan()).values()).containsOnly(1);
    scene.read();
    scene.hold(5);
    assertThat(limits(scene.plan()).values()).containsOnly(1);
  }

  @Test
  void partitionsTakeTurnsInBeingTheFirst() {
    scene.hold(1, 2);
    assertThat(scene.plan().request().slices())
        .extracting(Slice::partition)
        .containsExactly(0, 1, 2);
    scene.read();
    assertThat(scene.plan().request().slices())
        .extracting(Slice::partition)
        .containsExactly(1, 2, 0);
  }

  @Test
  void aReadBeginsAtTheFloorAndPassesOverWhatIsInMemory() {
    databaseTells(50);
    scene.read(message(60, "a"));
    ReadRequest request = scene.plan().request();
    assertThat(request.slices()).extracting(Slice::afterSeq).containsExactly(50L);
    assertThat(request.known()).containsExactly(60);
    scene.deliver("mailer");
    scene.settle();
    assertThat(scene.plan().request().known()).isEmpty();
  }

  /** All up to this seq has been passed, in a database that tells. */
  private void databaseTells(long seq) {
    scene.accept(
        scene.plan(),
        new ReadResult(
            List.of(), List.of(), false, new Server(1, 1), 10, new ReadResult.Mark(seq, 10), null));
    scene.accept(
        scene.plan(),
        new ReadResult(List.of(), List.of(), false, new Server(1, 1), 11, null, null));
  }

  @Test
  void aReadAsksForAMarkWhenOneIsWanted() {
    assertThat(scene.plan().request().ask()).isEqualTo(Ask.MARK);
    databaseTells(50);
    assertThat(scene.plan().request().ask()).isEqualTo(Ask.NOTHING);
    scene.read(message(60, "a"));
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.plan().request().ask()).isEqualTo(Ask.MARK);
  }

  @Test
  void aReadAsksForDeferredRowsOfTheHandlersThatMayHaveSome() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).holdWithDeferred("mailer", "gone");
    scene.hold(1);
    assertThat(scene.plan().request().lanes())
        .isEqualTo(new ReadRequest.Lanes(List.of("mailer"), Set.of(0)));
  }

  // --- what came

  @Test
  void aRowIsTakenOnce() {
    ReadyIntake.Plan first = scene.plan();
    assertThat(scene.accept(first, message(1, "a"), message(2, "b")))
        .isEqualTo(new Accepted(2, Doubt.NONE));
    assertThat(scene.read(message(1, "a"), message(3, "c"))).isEqualTo(new Accepted(1, Doubt.NONE));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
    scene.settle();
    assertThat(scene.accept(first, message(1, "a")).added())
        .as("that read began before it was settled")
        .isZero();
  }

  @Test
  void aPartWasReadIfTheLimitWasReached() {
    scene = new MemoryScene(window(2), handler("mailer")).hold(0);
    scene.read(message(1, "a"), message(2, "b"));
    assertThat(intake().moreWaiting()).isTrue();
  }

  @Test
  void allWasReadIfTheLimitWasNotReached() {
    scene.read(message(1, "a"), message(2, "b"));
    assertThat(intake().moreWaiting()).isFalse();
  }

  @Test
  void ofAReadThatWasCutThePartitionsBehindTheLastRowHaveMore() {
    scene.hold(1, 2);
    scene.accept(
        scene.plan(),
        ReadResult.ofUnknown(
            List.of(message(0, 1, "a", 0), message(1, 2, "b", 0)), List.of(), true));
    assertThat(scene.held(0).hasMore()).isFalse();
    assertThat(scene.held(1).hasMore()).isTrue();
    assertThat(scene.held(2).hasMore()).isTrue();
  }

  @Test
  void ofAReadThatWasCutBeforeItsFirstRowAllHaveMore() {
    scene.hold(1);
    scene.accept(scene.plan(), ReadResult.ofUnknown(List.of(), List.of(), true));
    assertThat(scene.held(0).hasMore()).isTrue();
    assertThat(scene.held(1).hasMore()).isTrue();
  }

  @Test
  void aDeferredRowMayGoOnceTheRowsBeforeItHaveBeenRead() {
    scene = new MemoryScene(window(10), handler("mailer")).holdWithDeferred("mailer");
    assertThat(scene.readDue(deferred(5, "a", "mailer"))).as("nothing was read yet").isZero();
    scene.heard();
    scene.accept(scene.plan(), ReadResult.ofUnknown(List.of(message(9, "x")), List.of(), true));
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
    assertThat(scene.readDue(deferred(5, "a", "mailer"))).isOne();
    assertThat(scene.readDue(deferred(12, "b", "mailer"))).isZero();
  }

  @Test
  void rowsOfAPartitionThatHasGoneElsewhereAreNotTaken() {
    scene.hold(1);
    ReadyIntake.Plan plan = scene.plan();
    scene.memory.drain(List.of(0));
    scene.memory.released(List.of(0));
    assertThat(scene.accept(plan, message(0, 1, "a", 0), message(1, 2, "b", 0)).added()).isOne();
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  @Test
  void aSequenceThatHasGoneBackPutsEverythingInDoubt() {
    databaseTells(50);
    ReadResult back =
        new ReadResult(
            List.of(message(7, "a")),
            List.of(),
            false,
            new Server(1, 1),
            20,
            new ReadResult.Mark(40, 20),
            null);
    assertThat(scene.accept(scene.plan(), back))
        .isEqualTo(new Accepted(0, Doubt.SEQUENCE_WENT_BACK));
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aSequenceBelowTheFloorPutsEverythingInDoubt() {
    scene = new MemoryScene(handler("mailer"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 1, 0, 100));
    ReadResult back =
        new ReadResult(
            List.of(), List.of(), false, new Server(1, 1), 20, new ReadResult.Mark(99, 20), null);
    assertThat(scene.accept(scene.plan(), back).doubt()).isEqualTo(Doubt.SEQUENCE_WENT_BACK);
  }

  @Test
  void anotherHistoryPutsEverythingInDoubt() {
    databaseTells(50);
    ReadResult other =
        new ReadResult(
            List.of(message(60, "a")), List.of(), false, new Server(2, 2), 20, null, null);
    assertThat(scene.accept(scene.plan(), other)).isEqualTo(new Accepted(0, Doubt.OTHER_HISTORY));
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  // --- who gets it

  @Test
  void eachHandlerGetsTheMessageAndItsRowLeavesWhenAllAreDone() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    assertThat(scene.takeOutcomes()).isEmpty();
    scene.deliver("audit");
    assertThat(ready(scene.settle())).containsExactly("1");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void whatTheHistoryKeepsIsToldByHandler() {
    scene = new MemoryScene(handler("mailer"), handler("audit"), handler("archive")).hold(0);
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), Fate.KEPT);
    scene.finish(scene.take("audit"), Fate.DELIVERED);
    scene.finish(scene.take("archive"), Fate.KEPT);
    assertThat(scene.settle().ready().get(0).kept()).containsExactly("mailer", "archive");
  }

  @Test
  void whenOneHandlerFailsTheOthersGoOnWithRowsOfTheirOwn() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    assertThat(ready(scene.settle())).containsExactly("1 audit=HELD mailer=RETRYING");
    assertThat(scene.deliver("audit")).containsExactly(1L);
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 audit=Delivered");
  }

  @Test
  void aMessageThatNobodyTakesLeavesAtOnce() {
    scene = new MemoryScene(ofOtherType("audit")).hold(0);
    scene.read(message(1, "a"));
    assertThat(ready(scene.settle())).containsExactly("1");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aMessageThatOthersTakeTooIsSplitAtOnce() {
    Fate elsewhere = new Fate.Deferred(DeferReason.ELSEWHERE, 0, null, null);
    scene.readWithLeftover(message(1, "a"), new Settlement.Leftover("theirs", elsewhere));
    assertThat(ready(scene.settle())).containsExactly("1 mailer=HELD theirs=ELSEWHERE");
    assertThat(scene.memory.dueIntake().deferredHandlers())
        .isEqualTo(Map.of(0, Set.of("mailer", "theirs")));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void whatWaitsForAHandlerOfThisRelayHoldsItsLane() {
    scene = new MemoryScene(ofOtherType("audit"), handler("mailer")).hold(0);
    Fate elsewhere = new Fate.Deferred(DeferReason.ELSEWHERE, 0, null, null);
    ReadyIntake.Routed first =
        new ReadyIntake.Routed(
            message(1, "a"), new int[0], List.of(new Settlement.Leftover("mailer", elsewhere)));
    StoredMessage later = message(2, "a");
    intake()
        .accept(
            scene.plan(),
            ReadResult.ofUnknown(List.of(message(1, "a"), later), List.of(), false),
            List.of(first, scene.routed(later)));
    assertThat(ready(scene.settle())).containsExactly("1 mailer=ELSEWHERE", "2 mailer=HELD");
  }

  @Test
  void aDeadLetterForAHandlerOfThisRelayHoldsNobody() {
    Fate dead = new Fate.Dead(0, "unknown");
    StoredMessage later = message(2, "a");
    intake()
        .accept(
            scene.plan(),
            ReadResult.ofUnknown(List.of(message(1, "a"), later), List.of(), false),
            List.of(
                new ReadyIntake.Routed(
                    message(1, "a"), new int[0], List.of(new Settlement.Leftover("mailer", dead))),
                scene.routed(later)));
    assertThat(ready(scene.settle())).containsExactly("1 mailer=Dead");
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void aTransactionalHandlerHasARowOfItsOwnIfOthersTakeTheMessage() {
    scene = new MemoryScene(handler("mailer"), handler("ledger").transactional()).hold(0);
    scene.read(message(1, "a"));
    assertThat(scene.getsNothing("ledger")).as("its row is not stored yet").isTrue();
    assertThat(scene.hasWork("mailer")).isTrue();
    assertThat(ready(scene.settle())).containsExactly("1 ledger=HELD mailer=HELD");
    assertThat(scene.deliver("ledger")).containsExactly(1L);
  }

  @Test
  void aTransactionalHandlerThatIsAloneTakesTheReadyRow() {
    scene = new MemoryScene(handler("ledger").transactional()).hold(0);
    scene.read(message(1, "a"));
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.deliver("ledger")).containsExactly(1L);
  }

  @Test
  void aTransactionalHandlerHasARowOfItsOwnIfOthersElsewhereTakeTheMessage() {
    scene = new MemoryScene(handler("ledger").transactional()).hold(0);
    Fate elsewhere = new Fate.Deferred(DeferReason.ELSEWHERE, 0, null, null);
    scene.readWithLeftover(message(1, "a"), new Settlement.Leftover("theirs", elsewhere));
    assertThat(scene.getsNothing("ledger")).isTrue();
    assertThat(ready(scene.settle())).containsExactly("1 ledger=HELD theirs=ELSEWHERE");
    assertThat(scene.deliver("ledger")).containsExactly(1L);
  }

  // --- lanes with deferred rows

  private void readWithHeads(StoredMessage row, long... heads) {
    ReadyIntake.Plan plan = scene.plan();
    scene.accept(plan, ReadResult.ofUnknown(List.of(row), List.<long[]>of(heads), false));
  }

  @Test
  void aRowBehindADeferredOneOfItsLaneJoinsIt() {
    scene = new MemoryScene(ofOtherType("other"), handler("audit"), handler("mailer"));
    scene.holdWithDeferred("mailer");
    readWithHeads(message(5, "a"), 3);
    assertThat(ready(scene.settle())).containsExactly("5 audit=HELD mailer=HELD");
    assertThat(scene.deliver("audit")).containsExactly(5L);
    assertThat(scene.hasWork("mailer")).isFalse();
  }

  @Test
  void aRowBeforeADeferredOneOfItsLaneIsDelivered() {
    scene.holdWithDeferred("mailer");
    readWithHeads(message(2, "a"), 3);
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    readWithHeads(message(4, "b"), ReadResult.NO_HEAD);
    assertThat(scene.deliver("mailer")).containsExactly(4L);
  }

  @Test
  void aRowWithoutAKeyJoinsNobody() {
    scene.holdWithDeferred("mailer");
    readWithHeads(message(5, null), 3);
    assertThat(scene.deliver("mailer")).containsExactly(5L);
  }

  @Test
  void messagesOfOnePartitionWithTheSameKeyAreNoLaneOfAnotherPartition() {
    scene.hold(1);
    scene.read(message(0, 1, "a", 0), message(1, 2, "a", 0));
    scene.finish(scene.take("mailer"), RETRY);
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void aRowThatBecomesVisibleLateGoesBeforeLaterOnes() {
    scene.read(message(3, "a"), message(7, "a"));
    scene.read(message(5, "a"), message(1, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L, 3L, 5L, 7L);
  }
}
