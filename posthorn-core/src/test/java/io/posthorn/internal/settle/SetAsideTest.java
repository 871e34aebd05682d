/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.settle;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.handler;
import static io.posthorn.internal.memory.MemoryScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.internal.memory.MemoryScene;
import io.posthorn.internal.memory.PendingSettlement;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which outcomes are tried when, after they could not be stored. */
class SetAsideTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration MOMENT = Duration.ofNanos(1);

  private MemoryScene scene = new MemoryScene(handler("mailer")).hold(0);
  private final SetAside aside = new SetAside(() -> scene.now);

  /** Outcomes of as many messages, with seqs from 1 on. */
  private List<PendingSettlement> outcomes(int count) {
    scene.read(
        LongStream.rangeClosed(1, count)
            .mapToObj(seq -> message(seq, "k" + seq))
            .toArray(StoredMessage[]::new));
    for (int i = 0; i < count; i++) {
      scene.deliver("mailer");
    }
    return scene.takeOutcomes();
  }

  private List<Long> take(int max) {
    return seqs(aside.take(max));
  }

  private static List<Long> seqs(List<PendingSettlement> outcomes) {
    return outcomes.stream().map(outcome -> outcome.message().seq()).toList();
  }

  @Test
  void withNothingSetAsideThereIsNothingToTry() {
    assertThat(aside.isEmpty()).isTrue();
    assertThat(take(10)).isEmpty();
    assertThat(aside.nextIn(Duration.ofSeconds(9))).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void anOutcomeThatIsAloneIsTriedAfterASecond() {
    aside.add(outcomes(1), Duration.ZERO);
    assertThat(aside.isEmpty()).isFalse();
    assertThat(aside.nextIn(Duration.ofSeconds(9))).isEqualTo(SECOND);
    assertThat(aside.nextIn(PAUSE)).isEqualTo(PAUSE);
    scene.pass(SECOND.minus(MOMENT));
    assertThat(take(10)).isEmpty();
    scene.pass(MOMENT);
    assertThat(aside.nextIn(SECOND)).isZero();
    assertThat(take(10)).containsExactly(1L);
    assertThat(aside.isEmpty()).isTrue();
  }

  @Test
  void aGroupIsTriedAgainInHalvesInOrder() {
    aside.add(outcomes(5), Duration.ZERO);
    assertThat(take(10)).as("not at once").isEmpty();
    assertThat(aside.nextIn(SECOND)).isEqualTo(PAUSE);
    scene.pass(PAUSE);
    assertThat(take(10)).containsExactly(1L, 2L);
    assertThat(take(10)).containsExactly(3L, 4L, 5L);
    scene.pass(SECOND);
    assertThat(aside.nextIn(SECOND)).isEqualTo(SECOND);
  }

  @Test
  void aSlowFailureIsFollowedByAPauseFourTimesAsLong() {
    aside.add(outcomes(2), Duration.ofMillis(100));
    scene.pass(Duration.ofMillis(400).minus(MOMENT));
    assertThat(take(10)).isEmpty();
    scene.pass(MOMENT);
    assertThat(take(10)).containsExactly(1L);
  }

  @Test
  void onceSomethingWorksMoreIsTriedAtOnce() {
    List<PendingSettlement> eight = outcomes(8);
    for (PendingSettlement one : eight) {
      aside.add(List.of(one), Duration.ZERO);
    }
    scene.pass(SECOND);
    assertThat(take(100)).hasSize(1);
    aside.worked(1);
    assertThat(take(100)).containsExactly(2L, 3L);
    aside.worked(2);
    assertThat(take(3)).as("as many as a group has at the most").containsExactly(4L, 5L, 6L);
    aside.worked(3);
    assertThat(take(100)).containsExactly(7L, 8L);
  }

  @Test
  void aFailureMakesItBeginWithOneAgain() {
    List<PendingSettlement> all = outcomes(6);
    all.forEach(one -> aside.add(List.of(one), Duration.ZERO));
    aside.worked(100);
    scene.pass(SECOND);
    List<PendingSettlement> failed = aside.take(3);
    assertThat(failed).hasSize(3);
    aside.add(failed, Duration.ZERO);
    scene.pass(SECOND);
    assertThat(take(100)).as("the first half").containsExactly(1L);
  }

  @Test
  void whatIsOfAnotherLifeOfTheRelayIsTriedByItself() {
    List<PendingSettlement> first = outcomes(1);
    aside.add(first, Duration.ZERO);
    scene.memory.expelled();
    scene.holdAs(new RelayIdentity("a", 2), 1);
    scene.read(message(1, 2, "a"));
    scene.deliver("mailer");
    aside.add(scene.takeOutcomes(), Duration.ZERO);
    aside.worked(100);
    scene.pass(SECOND);
    assertThat(take(100)).containsExactly(1L);
    assertThat(take(100)).containsExactly(2L);
  }

  // --- split messages

  /** A message that failed for one handler, and the outcome of the other one's row. */
  private List<PendingSettlement> splitAndRow() {
    scene = new MemoryScene(handler("mailer"), handler("audit")).hold(0);
    scene.read(message(1, "a"));
    scene.finish(scene.take("mailer"), RETRY);
    scene.deliver("audit");
    scene.read(message(2, "b"));
    scene.deliver("mailer");
    scene.deliver("audit");
    List<PendingSettlement> outcomes = scene.takeOutcomes();
    assertThat(outcomes).extracting(PendingSettlement::isSplit).containsExactly(true, false, false);
    return outcomes;
  }

  @Test
  void outcomesOfRowsWaitUntilTheMessageIsStoredThatWasSplit() {
    List<PendingSettlement> all = splitAndRow();
    aside.add(all.subList(0, 1), Duration.ZERO);

    assertThat(aside.holdBack(all.subList(1, 3))).containsExactly(all.get(2));
    scene.pass(SECOND);
    assertThat(aside.take(10)).containsExactly(all.get(0));
    assertThat(aside.take(10)).isEmpty();

    aside.ended(all.subList(0, 1));
    assertThat(aside.take(10)).as("it goes on at once").containsExactly(all.get(1));
    assertThat(aside.holdBack(all.subList(1, 3))).hasSize(2);
  }

  @Test
  void ofAGroupThatFailsOutcomesOfRowsWaitToo() {
    List<PendingSettlement> all = splitAndRow();
    aside.add(all, Duration.ZERO);
    scene.pass(PAUSE);
    assertThat(aside.take(10)).containsExactly(all.get(0));
    assertThat(aside.take(10)).containsExactly(all.get(2));
    aside.ended(all.subList(2, 3));
    assertThat(aside.isEmpty()).as("another outcome says nothing of it").isTrue();
    aside.ended(all.subList(0, 1));
    assertThat(aside.take(10)).containsExactly(all.get(1));
  }

  @Test
  void whereNothingWaitsForASplitMessageNothingFollowsIt() {
    List<PendingSettlement> all = splitAndRow();
    aside.add(all.subList(0, 1), Duration.ZERO);
    scene.pass(SECOND);
    aside.take(10);
    aside.ended(all.subList(0, 1));
    assertThat(aside.isEmpty()).isTrue();
  }

  @Test
  void withoutASplitMessageNothingIsHeldBack() {
    List<PendingSettlement> three = outcomes(3);
    aside.add(three.subList(0, 1), Duration.ZERO);
    assertThat(aside.holdBack(three)).isEqualTo(three);
    aside.ended(three);
    assertThat(aside.isEmpty()).isFalse();
  }
}
