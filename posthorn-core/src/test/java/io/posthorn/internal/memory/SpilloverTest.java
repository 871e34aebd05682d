/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.batchHandler;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.handlerOf;
import static io.posthorn.internal.memory.MemoryScene.message;
import static io.posthorn.internal.memory.MemoryScene.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayOptionsFixture;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A handler that is slow or paused does not keep the window, or a message, from the others. */
class SpilloverTest {
  private static final Duration LATE = Duration.ofSeconds(5);
  private static final Duration MOMENT = Duration.ofNanos(1);

  private MemoryScene scene;

  private static RelayOptions window(int messages) {
    return RelayOptionsFixture.standard().windowMessages(messages).lateAfter(LATE);
  }

  private static HandlerSpec<String> ofOtherType(String name) {
    return HandlerSpec.of(name, "other", String.class, (payload, delivery) -> {});
  }

  private static HandlerSpec<byte[]> ofKey(String name, String key) {
    return HandlerSpec.generic(name, it -> key.equals(it.key()), (payload, delivery) -> {});
  }

  private static StoredMessage[] messages(int from, int to) {
    return LongStream.rangeClosed(from, to)
        .mapToObj(seq -> message(seq, "k" + seq))
        .toArray(StoredMessage[]::new);
  }

  private int makeRoom() {
    return scene.memory.readyIntake().makeRoom();
  }

  // --- messages with several handlers

  @Test
  void aMessageThatOneHandlerIsDoneWithIsSplitWhenTheOtherIsLate() {
    scene = new MemoryScene(window(100), handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    assertThat(scene.takeOutcomes()).isEmpty();
    scene.pass(LATE.minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(MOMENT);

    assertThat(makeRoom()).isOne();

    assertThat(ready(scene.settle())).containsExactly("1 audit=HELD");
    assertThat(scene.memory.isEmpty()).as("audit still has it").isFalse();
    assertThat(scene.deliver("audit")).containsExactly(1L);
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 audit=Delivered");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aMessageWithoutAKeyThatIsSplitMayBePassed() {
    scene = new MemoryScene(window(100), handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, null));
    scene.deliver("mailer");
    scene.pass(LATE);
    makeRoom();
    assertThat(ready(scene.settle())).containsExactly("1 audit=WAITING passed");
  }

  @Test
  void aMessageThatNobodyIsDoneWithIsLookedAtAgainAfterTheSameTime() {
    scene = new MemoryScene(window(100), handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"), message(2, "b"));
    scene.pass(LATE);
    assertThat(makeRoom()).isZero();
    scene.deliver("mailer");
    scene.pass(LATE.minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(MOMENT);
    assertThat(makeRoom()).as("one of the two").isOne();
    assertThat(ready(scene.settle())).containsExactly("1 audit=HELD");
  }

  @Test
  void aMessageThatAllAreDoneWithIsNotLookedAtAnyMore() {
    scene = new MemoryScene(window(100), handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    scene.deliver("audit");
    assertThat(ready(scene.settle())).containsExactly("1");
    scene.pass(LATE);
    assertThat(makeRoom()).isZero();
    assertThat(scene.takeOutcomes()).isEmpty();
  }

  // --- greedy handlers

  @Test
  void aPausedHandlerGivesTheWindowUpAtOnce() {
    scene = new MemoryScene(window(4), handler("mailer"), ofOtherType("audit")).hold(0);
    scene.read(messages(1, 3));
    scene.pause("mailer");
    assertThat(makeRoom()).as("there is room").isZero();
    scene.read(messages(4, 4));

    assertThat(makeRoom()).isEqualTo(4);

    assertThat(ready(scene.settle()))
        .containsExactly(
            "1 mailer=WAITING", "2 mailer=WAITING", "3 mailer=WAITING", "4 mailer=WAITING");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aSlowHandlerGivesTheWindowUpAfterAWhile() {
    scene =
        new MemoryScene(window(4), handler("mailer").concurrency(1), ofOtherType("audit")).hold(0);
    scene.read(messages(1, 4));
    scene.take("mailer");
    assertThat(makeRoom()).isZero();
    scene.pass(LATE.minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(MOMENT);

    assertThat(makeRoom()).isEqualTo(3);

    assertThat(ready(scene.settle()))
        .containsExactly("2 mailer=WAITING", "3 mailer=WAITING", "4 mailer=WAITING");
  }

  @Test
  void theWhileIsCountedFromWhenTheWindowWasFull() {
    scene =
        new MemoryScene(window(4), handler("mailer").concurrency(1), ofOtherType("audit")).hold(0);
    scene.read(messages(1, 4));
    makeRoom();
    scene.pass(LATE.minus(MOMENT));
    scene.deliver("mailer");
    scene.settle();
    assertThat(makeRoom()).as("there is room").isZero();
    scene.read(messages(5, 5));
    assertThat(makeRoom()).isZero();
    scene.pass(LATE.minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(MOMENT);
    assertThat(makeRoom()).isEqualTo(4);
  }

  @Test
  void aHandlerThatIsAloneKeepsWhatItHas() {
    scene = new MemoryScene(window(4), handler("mailer").concurrency(1)).hold(0);
    scene.read(messages(1, 4));
    scene.take("mailer");
    makeRoom();
    scene.pass(LATE.minus(MOMENT));
    assertThat(makeRoom()).isZero();
  }

  @Test
  void whereNobodyIsIdleNobodyGivesAnythingUp() {
    scene = new MemoryScene(window(4), handler("mailer"), handler("audit")).hold(0);
    scene.read(messages(1, 4));
    makeRoom();
    scene.pass(LATE);
    scene.pause("mailer");
    scene.memory.dispatcher();
    assertThat(makeRoom()).as("audit has lanes that wait").isZero();
  }

  @Test
  void aHandlerWithinItsShareKeepsWhatItHas() {
    scene =
        new MemoryScene(
                window(6), ofKey("mailer", "k1"), ofKey("archive", "k2"), ofKey("audit", ""))
            .hold(0);
    scene.read(message(1, "k1"), message(2, "k2"), message(3, "k2"));
    scene.read(message(4, "k2"), message(5, "k2"), message(6, "k2"));
    scene.pause("mailer", "archive");

    assertThat(makeRoom()).as("its share is two").isEqualTo(5);
    assertThat(scene.settle().ready()).extracting(Settlement.Ready::key).containsOnly("k2");
  }

  @Test
  void whileADestinationIsDownSomeLanesStayToBeTried() {
    scene = new MemoryScene(window(20), handler("mailer"), ofOtherType("audit")).hold(0);
    scene.read(messages(1, 19));
    scene.read(message(20, "k1"));
    WorkBatch batch = scene.take("mailer");
    scene.memory.dispatcher().destinationDown(handlerOf(batch));
    scene.finish(batch);

    assertThat(makeRoom()).isEqualTo(12);
    assertThat(scene.settle().ready()).hasSize(12);
    assertThat(makeRoom()).isZero();
  }

  @Test
  void ifNothingElseFillsTheWindowTheLanesToBeTriedGoToo() {
    scene = new MemoryScene(window(8), handler("mailer"), ofOtherType("audit")).hold(0);
    scene.read(messages(1, 8));
    WorkBatch batch = scene.take("mailer");
    scene.memory.dispatcher().destinationDown(handlerOf(batch));
    scene.finish(batch);
    assertThat(makeRoom()).isEqualTo(8);
  }

  @Test
  void whatIsStoredAsTheNextToBeDeliveredStays() {
    scene = new MemoryScene(window(4), handler("mailer"), ofOtherType("audit"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 7, 2, 0));
    scene.read(messages(1, 4));
    scene.settle();
    watch();
    scene.settle();
    makeRoom();
    scene.pass(LATE);
    assertThat(makeRoom()).isZero();

    scene.pause("mailer");
    assertThat(MemoryScene.deferred(scene.settle()))
        .as("it is not delivered now")
        .containsExactlyInAnyOrder(
            "1 mailer=HELD", "2 mailer=HELD", "3 mailer=HELD", "4 mailer=HELD");
  }

  private void watch() {
    assertThat(scene.memory.dispatcher().nextBatch(scene.worker("mailer"), null)).isNull();
  }

  @Test
  void ofWhatIsStoredAsTheNextOneStaysWhileTheDestinationIsDown() {
    scene = new MemoryScene(window(4), handler("mailer"), ofOtherType("audit"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 7, 2, 0));
    scene.read(messages(1, 4));
    scene.settle();
    watch();
    scene.settle();
    HandlerLanes mailer = scene.worker("mailer");
    scene.memory.dispatcher().destinationDown(mailer);
    assertThat(makeRoom()).isEqualTo(3);
  }

  // --- what waits behind a message without an answer

  private LaneEntry sendWithTwoBehind() {
    scene = new MemoryScene(window(3), batchHandler("broker", 10).batchPerKey(1)).hold(0);
    scene.read(message(1, "a"), message(2, "a"), message(3, "a"));
    WorkBatch batch = scene.take("broker");
    batch.goesOn(0);
    scene.finish(batch);
    return batch.entry(0);
  }

  @Test
  void whatWaitsBehindAMessageWithoutAnAnswerMakesRoomForOtherKeys() {
    LaneEntry sent = sendWithTwoBehind();
    scene.pass(Duration.ofMillis(500).minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(Duration.ofMillis(100));

    assertThat(makeRoom()).isEqualTo(2);

    assertThat(ready(scene.settle()))
        .as("the first one stays before them")
        .containsExactly("1 broker=HELD", "2 broker=HELD", "3 broker=HELD");
    scene
        .memory
        .dispatcher()
        .ended(
            sent.lane().handler(), List.of(new WorkDispatcher.Ended(sent, Fate.DELIVERED, false)));
    assertThat(MemoryScene.deferred(scene.settle())).containsExactly("1 broker=Delivered");
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void itIsLookedForTenTimesASecondAtTheMost() {
    sendWithTwoBehind();
    scene.pass(Duration.ofMillis(450));
    assertThat(makeRoom()).isZero();
    scene.pass(Duration.ofMillis(100).minus(MOMENT));
    assertThat(makeRoom()).isZero();
    scene.pass(MOMENT);
    assertThat(makeRoom()).isEqualTo(2);
  }

  @Test
  void whileThereIsRoomItStays() {
    scene = new MemoryScene(window(4), batchHandler("broker", 10).batchPerKey(1)).hold(0);
    scene.read(message(1, "a"), message(2, "a"), message(3, "a"));
    WorkBatch batch = scene.take("broker");
    batch.goesOn(0);
    scene.finish(batch);
    scene.pass(Duration.ofSeconds(10));
    assertThat(makeRoom()).isZero();
  }

  @Test
  void whatHasBeenWithoutAnAnswerForHalfASecondIsSplit() {
    sendWithTwoBehind();
    scene.pass(Duration.ofMillis(500));
    assertThat(makeRoom()).isEqualTo(2);
  }

  @Test
  void aHandlerThatHasJustItsShareGivesItUpToo() {
    scene =
        new MemoryScene(
                window(6), ofKey("mailer", "k1"), ofKey("archive", "k2"), ofKey("audit", ""))
            .hold(0);
    scene.read(message(1, "k1"), message(2, "k1"), message(3, "k2"));
    scene.read(message(4, "k2"), message(5, "k2"), message(6, "k2"));
    scene.pause("mailer", "archive");
    assertThat(makeRoom()).isEqualTo(6);
  }

  @Test
  void whatComesLaterJoinsWhatWasGivenUp() {
    scene = new MemoryScene(window(4), handler("mailer"), ofOtherType("audit")).hold(0);
    ReadyIntake.Plan early = scene.plan();
    scene.read(messages(1, 3));
    scene.read(message(4, null));
    scene.pause("mailer");
    makeRoom();
    scene.settle();
    scene.pause();
    scene.accept(early, message(7, "k1"), message(8, "k8"));
    assertThat(ready(scene.settle())).containsExactly("7 mailer=HELD");
    assertThat(scene.deliver("mailer")).containsExactly(8L);
  }

  @Test
  void afterAnExpulsionNothingIsLate() {
    scene = new MemoryScene(window(100), handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.deliver("mailer");
    scene.memory.expelled();
    scene.pass(LATE);
    assertThat(makeRoom()).isZero();
    assertThat(scene.takeOutcomes()).isEmpty();
  }
}
