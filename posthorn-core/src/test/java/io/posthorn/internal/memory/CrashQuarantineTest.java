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
import static io.posthorn.internal.memory.MemoryScene.seqs;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.internal.memory.MemoryScene.Signal;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Messages that may be why the owners of their partition died. */
class CrashQuarantineTest {
  private MemoryScene scene = new MemoryScene(handler("mailer"));

  private static DeferredMessage suspect(long seq, String key, int attempts) {
    return deferred(message(seq, key), "mailer", DeferReason.SUSPECT, attempts);
  }

  private void holdCrashed(int crashes) {
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 7, crashes, 0), "mailer");
    scene.accept(scene.plan()); // there are no ready rows before the deferred ones
  }

  /** A worker comes by, and finds nothing that may be delivered yet. */
  private void workerFindsNothing() {
    assertThat(scene.memory.dispatcher().nextBatch(scene.worker("mailer"), null)).isNull();
  }

  private static List<String> stored(Settlement settlement) {
    return settlement.deferred().stream().map(row -> row.seq() + " " + text(row.fate())).toList();
  }

  private static String text(Fate fate) {
    if (fate instanceof Fate.Deferred deferred) {
      return deferred.reason() + " " + deferred.attempts();
    }
    return fate instanceof Fate.Dead dead ? "DEAD " + dead.attempts() : fate.toString();
  }

  @Test
  void afterOneCrashNothingIsWatched() {
    holdCrashed(1);
    scene.read(message(1, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void afterTwoCrashesEachMessageGetsARowOfItsOwnThatSaysThatItIsDelivered() {
    holdCrashed(2);
    scene.read(message(1, "a"));
    assertThat(scene.getsNothing("mailer")).as("its row is on its way").isTrue();
    assertThat(ready(scene.settle())).containsExactly("1 mailer=HELD");

    workerFindsNothing();
    assertThat(scene.getsNothing("mailer")).as("that is being stored").isTrue();
    scene.heard();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 0");
    assertThat(scene.heard()).contains(Signal.WORK);

    assertThat(scene.deliver("mailer")).containsExactly(1L);
    assertThat(stored(scene.settle())).containsExactly("1 " + Fate.DELIVERED);
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void watchedMessagesGoManyAtATimeAndOneOfEachKey() {
    holdCrashed(2);
    scene.read(message(1, "a"), message(2, "b"), message(3, "a"));
    scene.settle();
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 0", "2 SUSPECT 0");

    WorkBatch first = scene.take("mailer");
    WorkBatch second = scene.take("mailer");
    assertThat(seqs(first)).containsExactly(1L);
    assertThat(seqs(second)).containsExactly(2L);
  }

  @Test
  void noMoreThanSixtyFourAreWatchedAtATime() {
    scene = new MemoryScene(handler("mailer").concurrency(100));
    holdCrashed(2);
    scene.read(
        LongStream.rangeClosed(1, 66)
            .mapToObj(seq -> message(seq, "k" + seq))
            .toArray(StoredMessage[]::new));
    scene.settle();
    workerFindsNothing();
    assertThat(scene.settle().deferred()).hasSize(64);
    assertThat(scene.deliver("mailer")).containsExactly(1L);
    scene.settle();
    for (long seq = 2; seq <= 64; seq++) {
      assertThat(seqs(scene.take("mailer"))).containsExactly(seq);
    }
    workerFindsNothing();
    assertThat(stored(scene.settle())).as("one has made room").containsExactly("65 SUSPECT 0");
  }

  @Test
  void aSuspectIsHandedOverAloneWithItsAttemptCounted() {
    holdCrashed(0);
    assertThat(scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1))).isEqualTo(2);
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 2");
    assertThat(seqs(scene.take("mailer"))).containsExactly(1L);
    assertThat(scene.getsNothing("mailer")).as("2 waits until 1 has ended").isTrue();
    assertThat(scene.takeOutcomes()).isEmpty();
  }

  @Test
  void noWorkersAreStartedForWhatWaitsUntilASuspectHasEnded() {
    scene = new MemoryScene(handler("mailer").concurrency(4));
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.settle();
    WorkBatch first = scene.take("mailer");

    assertThat(scene.memory.dispatcher().claimWorkers()).isEmpty();

    scene.finish(first, Fate.DELIVERED);
    assertThat(scene.memory.dispatcher().claimWorkers()).hasSize(1);
  }

  @Test
  void theNextSuspectGoesWhenTheFirstHasEnded() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.settle();
    scene.heard();
    assertThat(scene.deliver("mailer")).containsExactly(1L);
    assertThat(scene.heard()).contains(Signal.WORK);
    scene.settle();

    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("2 SUSPECT 2");
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void whatIsNoSuspectGoesOnMeanwhile() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), deferred(2, "b", "mailer"));
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void itsHandlerIsNotToldOfDeathsAsFailures() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 2));
    workerFindsNothing();
    scene.settle();
    assertThat(scene.take("mailer").entry(0).delivery().attempt()).isEqualTo(1);
  }

  @Test
  void aSuspectThatHasHadAllItsAttemptsIsADeadLetterAndItsLaneGoesOn() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 3), deferred(2, "a", "mailer"));
    scene.heard();
    workerFindsNothing();
    assertThat(scene.heard()).as("what stands behind it need not wait").contains(Signal.WORK);
    WorkBatch batch = scene.take("mailer");

    assertThat(seqs(batch)).containsExactly(2L);
    Settlement settlement = scene.settle();
    assertThat(stored(settlement)).containsExactly("1 DEAD 3");
    assertThat(((Fate.Dead) settlement.deferred().get(0).fate()).error())
        .isEqualTo(
            "the process ended while handler \"mailer\" was at work on this message, 3 times");
    scene.finish(batch, Fate.DELIVERED);
    scene.settle();
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void aSuspectThatIsADeadLetterBlocksItsLaneIfItsHandlerSaysSo() {
    scene = new MemoryScene(handler("mailer").lanePolicy(LanePolicy.BLOCK));
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 3), deferred(2, "a", "mailer"), deferred(3, "b", "mailer"));
    assertThat(scene.deliver("mailer")).as("another key").containsExactly(3L);
    Settlement settlement = scene.settle();
    assertThat(stored(settlement)).startsWith("1 DEAD 3");
    assertThat(((Fate.Dead) settlement.deferred().get(0).fate()).blocksLane()).isTrue();
    assertThat(scene.hasWork("mailer")).isFalse();
    assertThat(scene.memory.isEmpty()).isTrue();
  }

  @Test
  void whatCannotBeStoredAsWatchedIsDeliveredAllTheSame() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1));
    workerFindsNothing();
    scene.memory.abandoned(scene.takeOutcomes());
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void aWatchedMessageThatIsGivenBackBecomesWhatItWas() {
    holdCrashed(2);
    scene.readDue(deferred(1, "a", "mailer"));
    workerFindsNothing();
    scene.settle();
    scene.memory.drain(List.of(0));
    Settlement settlement = scene.settle();
    assertThat(stored(settlement)).containsExactly("1 HELD 0");
    assertThat(((Fate.Deferred) settlement.deferred().get(0).fate()).dueIn())
        .isEqualTo(Duration.ZERO);
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
    assertThat(scene.heard()).contains(Signal.DEFERRED_ROWS);
  }

  @Test
  void aRetryThatIsGivenBackIsARetryAndASuspectASuspect() {
    holdCrashed(2);
    scene.readDue(deferred(message(1, "a"), "mailer", DeferReason.RETRYING, 2));
    workerFindsNothing();
    scene.settle();
    scene.memory.drain(List.of(0));
    assertThat(stored(scene.settle())).containsExactly("1 RETRYING 2");

    scene = new MemoryScene(handler("mailer"));
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1));
    workerFindsNothing();
    scene.settle();
    scene.memory.drain(List.of(0));
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 1");
  }

  @Test
  void oneThatIsGivenBackWhileItIsBeingStoredBecomesWhatItWasAfterwards() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    List<PendingSettlement> underWay = scene.takeOutcomes();
    scene.memory.drain(List.of(0));
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.memory.partitions().drained()).isEmpty();

    scene.memory.settled(underWay);

    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 1");
    assertThat(scene.memory.partitions().drained()).containsExactly(0);
  }

  @Test
  void aWatchedMessageThatWasNotBegunBecomesWhatItWasAndIsReadAgain() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.settle();
    scene.finish(scene.take("mailer"));
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 1", "2 SUSPECT 2");
    assertThat(scene.deliver("mailer")).containsExactly(2L);
    scene.settle();
    assertThat(scene.readDue(suspect(1, "a", 1))).isOne();
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 2");
  }

  @Test
  void aSuspectThatMayHaveExpiredIsReadAgainAsASuspect() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 2));
    workerFindsNothing();
    scene.settle();
    assertThat(scene.take("mailer").entry(0).readAgain())
        .isEqualTo(new Fate.Deferred(DeferReason.SUSPECT, 2, Duration.ZERO, null, false));
  }

  @Test
  void aHandlerThatIsPausedDoesNotKeepThoseOfOthersFromBeingWatched() {
    scene = new MemoryScene(handler("mailer"), handler("audit"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 7, 2, 0), "mailer", "audit");
    scene.accept(scene.plan());
    scene.readDue(
        LongStream.rangeClosed(1, 64)
            .mapToObj(seq -> deferred(seq, seq % 2 == 0 ? "k" + seq : null, "mailer"))
            .toArray(DeferredMessage[]::new));
    workerFindsNothing();
    assertThat(scene.settle().deferred()).hasSize(64);
    scene.readDue(deferred(65, "k65", "audit"));
    assertThat(scene.getsNothing("audit")).isTrue();
    assertThat(scene.takeOutcomes()).as("64 are watched").isEmpty();

    scene.pause("mailer");

    assertThat(stored(scene.settle())).hasSize(64).allMatch(row -> row.endsWith(" HELD 0"));
    assertThat(scene.getsNothing("audit")).isTrue();
    assertThat(stored(scene.settle())).containsExactly("65 SUSPECT 0");
    assertThat(scene.deliver("audit")).containsExactly(65L);
  }

  @Test
  void aHandlerThatHangsWithAllItsWorkersDoesNotKeepSuspectsOfOthersWaiting() {
    scene = new MemoryScene(handler("mailer").concurrency(1), handler("audit"));
    scene.hold(new PartitionOwner(0, MemoryScene.ME, 7, 0, 0), "mailer", "audit");
    scene.accept(scene.plan());
    scene.readDue(suspect(1, "a", 1), deferred(2, "b", "mailer"));
    WorkBatch hanging = scene.take("mailer");
    assertThat(seqs(hanging)).as("1 is being stored").containsExactly(2L);
    HandlerLanes mailer = MemoryScene.handlerOf(hanging);
    scene.settle();
    scene.readDue(deferred(message(3, "c"), "audit", DeferReason.SUSPECT, 1));
    assertThat(scene.getsNothing("audit")).isTrue();
    assertThat(scene.takeOutcomes()).as("1 is delivered next").isEmpty();

    assertThat(scene.memory.dispatcher().workerLost(mailer)).isTrue();

    assertThat(scene.getsNothing("audit")).isTrue();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 1", "3 SUSPECT 2");
    assertThat(scene.deliver("audit")).containsExactly(3L);
  }

  @Test
  void afterAnExpulsionAnotherSuspectMayGo() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.memory.expelled();
    holdCrashed(0);
    scene.readDue(suspect(2, "b", 1));
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("2 SUSPECT 2");
    assertThat(scene.deliver("mailer")).containsExactly(2L);
  }

  @Test
  void aLaneOfWhichTheHeadWasBeingStoredAtAnExpulsionGoesOnInTheNextLife() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1));
    workerFindsNothing();
    scene.memory.expelled();
    holdCrashed(0);
    scene.readDue(deferred(1, "a", "mailer"));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void anEarlierMessageDoesNotGoBeforeOneThatIsStoredAsTheNext() {
    holdCrashed(2);
    scene.read(message(5, "a"));
    scene.settle();
    workerFindsNothing();
    scene.settle();
    scene.read(message(3, "a"));
    scene.settle();
    assertThat(scene.deliver("mailer")).containsExactly(5L);
  }

  @Test
  void whatFailsIsNoLongerWatched() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.settle();
    scene.finish(scene.take("mailer"), RETRY);
    assertThat(stored(scene.settle())).containsExactly("1 RETRYING 1");
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("2 SUSPECT 2");
  }

  @Test
  void whenThePartitionHasComeToRestNothingIsWatchedAnyMore() {
    holdCrashed(2);
    scene.memory.partitions().calmed(List.of(0));
    scene.read(message(1, "a"));
    assertThat(scene.deliver("mailer")).containsExactly(1L);
  }

  @Test
  void aDeadLetterIsNotInMemoryForItsHandlerAnyMore() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 3));
    HandlerLanes mailer = scene.worker("mailer");
    assertThat(scene.memory.dispatcher().nextBatch(mailer, null)).isNull();
    assertThat(mailer.inMemory()).isZero();
  }

  /** The lane of key a gives back what waits in it. */
  private void giveBack() {
    assertThat(scene.memory.dueIntake().blockedByHand(List.of(new LaneId(0, "mailer", "a"))))
        .isOne();
  }

  @Test
  void whatWasGivenBackIsReadAgainOnceItIsWhatItWas() {
    holdCrashed(2);
    scene.readDue(deferred(1, "a", "mailer"));
    workerFindsNothing();
    scene.settle();
    giveBack();
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).as("as a suspect").isZero();
    assertThat(stored(scene.settle())).containsExactly("1 HELD 0");
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isOne();
  }

  @Test
  void whatWasGivenBackUnwatchedIsReadAgainAtOnce() {
    holdCrashed(0);
    scene.readDue(deferred(1, "a", "mailer"));
    giveBack();
    assertThat(scene.takeOutcomes()).isEmpty();
    assertThat(scene.readDue(deferred(1, "a", "mailer"))).isOne();
  }

  @Test
  void anotherSuspectMayGoWhenOneWasGivenBack() {
    holdCrashed(0);
    scene.readDue(suspect(1, "a", 1), suspect(2, "b", 1));
    workerFindsNothing();
    scene.settle();
    giveBack();
    workerFindsNothing();
    assertThat(stored(scene.settle())).containsExactly("1 SUSPECT 1", "2 SUSPECT 2");
  }

  @Test
  void afterAnExpulsionAsManyAreWatchedAsBefore() {
    holdCrashed(2);
    for (int life = 0; life < 2; life++) {
      scene.read(
          LongStream.rangeClosed(1, 64)
              .mapToObj(seq -> message(seq, "k" + seq))
              .toArray(StoredMessage[]::new));
      scene.settle();
      workerFindsNothing();
      assertThat(scene.settle().deferred()).hasSize(64);
      scene.memory.expelled();
      holdCrashed(2);
    }
  }

  @Test
  void whatIsStoredOfASuspectKeepsItsErrorAndItsPlace() {
    holdCrashed(0);
    scene.readDue(
        new DeferredMessage(
            message(1, "a"),
            "mailer",
            false,
            DeferReason.SUSPECT,
            1,
            "it was down",
            Duration.ZERO,
            Duration.ZERO));
    workerFindsNothing();
    assertThat(scene.settle().deferred().get(0).fate())
        .isEqualTo(new Fate.Deferred(DeferReason.SUSPECT, 2, Duration.ZERO, "it was down", true));
  }
}
