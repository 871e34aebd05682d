/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadResult.Server;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HorizonTest {
  private static final long LOOK_BACK = Duration.ofSeconds(10).toNanos();
  private static final long LONG_AFTER = Duration.ofSeconds(1).toNanos();

  private static final long PATIENCE = Duration.ofMillis(20).toNanos();

  private long now = Duration.ofDays(3).toNanos(); // tickers begin anywhere
  private final Horizon horizon = new Horizon(now, LOOK_BACK);

  @Test
  void markIsPassedWhenAllTransactionsUpToItHaveEnded() {
    assertThat(mark(7, 100, 100)).isZero();
    assertThat(read(100)).as("transaction 100 still runs").isZero();
    assertThat(read(101)).isEqualTo(7);
  }

  @Test
  void nextMarkIsTakenOnlyWhenTheLastOneWasPassed() {
    mark(7, 100, 100);
    now += 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    assertThat(mark(9, 110, 100)).as("asked for in vain").isZero();
    assertThat(read(101)).isEqualTo(7);
  }

  @Test
  void whereTheDatabaseTellsNoTimeIsLongEnough() {
    mark(7, 100, 50);
    now += LOOK_BACK;
    assertThat(read(50)).isZero();
    assertThat(horizon.unsure()).isFalse();
  }

  @Test
  void withoutBeingToldTheHighestRowIsPassedAfterTheLookBack() {
    horizon.read(result(0, null, null, row(3), row(8), row(5)), Ask.MARK, now, now);
    now += LOOK_BACK - 1;
    assertThat(read(0)).isZero();
    now += 1;
    assertThat(read(0)).isEqualTo(8);
    assertThat(horizon.unsure()).isTrue();
  }

  @Test
  void whereNothingNewWasSeenNoMarkIsWanted() {
    assertThat(horizon.ask(now)).as("the first one").isEqualTo(Ask.MARK);
    mark(7, 100, 100);
    read(101);
    now += LONG_AFTER;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    horizon.read(result(101, null, null, row(8)), Ask.NOTHING, now, now);
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK);
  }

  @Test
  void aMarkThatIsNotPassedForAMomentMakesReadsAskForPublishers() {
    mark(7, 100, 50);
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += LONG_AFTER;
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK_AND_PUBLISHERS);
  }

  @Test
  void publishersAreAskedForOncePerMomentOfPatience() {
    mark(7, 100, 50);
    now += PATIENCE - 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK_AND_PUBLISHERS);
    publishers(9, Set.of("3/45"));
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += PATIENCE - 1;
    read(50);
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK_AND_PUBLISHERS);
  }

  @Test
  void marksComeFiveMillisecondsApartAtTheLeast() {
    mark(7, 100, 100);
    read(101);
    horizon.read(result(101, null, null, row(8)), Ask.NOTHING, now, now);
    now += Duration.ofMillis(5).toNanos() - 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK);
  }

  @Test
  void aNewMarkIsWaitedForHoweverLongAgoPublishersWereAskedFor() {
    now += LONG_AFTER;
    mark(7, 100, 50);
    now += PATIENCE - 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
    now += 1;
    assertThat(horizon.ask(now)).isEqualTo(Ask.MARK_AND_PUBLISHERS);
  }

  @Test
  void aSequenceThatAnotherRelayHasRaisedIsNoticed() {
    assertThat(horizon.hasGoneBack(marked(Horizon.RAISE, 100, 100), 0))
        .as("nothing was seen of it yet")
        .isFalse();
    mark(70, 100, 100);
    assertThat(horizon.hasGoneBack(marked(70 + Horizon.RAISE - 1, 101, 100), 0)).isFalse();
    assertThat(horizon.hasGoneBack(marked(70 + Horizon.RAISE, 101, 100), 0)).isTrue();
  }

  @Test
  void aRowThatWasPassedNeedsNoMark() {
    horizon.read(result(100, new ReadResult.Mark(7, 100), null, row(7)), Ask.MARK, now, now);
    assertThat(read(101)).isEqualTo(7);
    now += LONG_AFTER;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
  }

  @Test
  void aTransactionThatNeverPublishedHoldsNothingBack() {
    mark(7, 100, 50);
    assertThat(publishers(9, Set.of()))
        .as("50 still runs, but has written no message")
        .isEqualTo(7);
    assertThat(publishers(12, Set.of())).isEqualTo(9);
  }

  @Test
  void aPublisherHoldsTheMarkBackUntilItHasEnded() {
    mark(7, 100, 50);
    assertThat(publishers(9, Set.of("3/45"))).isZero();
    assertThat(publishers(11, Set.of("3/45", "4/12"))).isZero();
    assertThat(publishers(13, Set.of("4/12"))).as("4/12 came later").isEqualTo(7);
    assertThat(publishers(15, Set.of("4/12"))).as("it may have drawn up to 13").isEqualTo(7);
    assertThat(publishers(17, Set.of("5/1"))).isEqualTo(13);
  }

  @Test
  void aPreparedPublisherHoldsTheMarkBackUnderItsNewNameAfterARestart() {
    horizon.read(of(1), Ask.NOTHING, now, now);
    mark(7, 100, 50);
    assertThat(publishers(9, Set.of("3/45"))).isZero();
    horizon.read(of(2), Ask.NOTHING, now, now);
    assertThat(publishers(11, Set.of("-1/45"))).isZero();
    assertThat(publishers(13, Set.of("4/12"))).isEqualTo(7);
  }

  @Test
  void aSequenceThatHasGoneBackIsNoticed() {
    mark(70, 100, 100);
    assertThat(horizon.hasGoneBack(marked(70, 101, 100), 0)).isFalse();
    assertThat(horizon.hasGoneBack(marked(60, 101, 100), 0)).isTrue();
    horizon.read(result(101, null, null, row(90)), Ask.NOTHING, now, now);
    assertThat(horizon.hasGoneBack(marked(80, 102, 100), 0)).isTrue();
    assertThat(horizon.hasGoneBack(marked(95, 102, 100), 0)).isFalse();
    assertThat(horizon.hasGoneBack(marked(95, 102, 100), 99)).as("a stored floor").isTrue();
  }

  @Test
  void aRelayThatHasPassedAllAsksForNothingMore() {
    horizon.read(
        result(100, new ReadResult.Mark(7, 100), null, row(7)), horizon.ask(now), now, now);
    for (int poll = 1; poll <= 3; poll++) {
      now += LONG_AFTER;
      Ask ask = horizon.ask(now);
      if (poll > 1) {
        assertThat(ask).as("poll " + poll).isEqualTo(Ask.NOTHING);
      }
      horizon.read(result(200, new ReadResult.Mark(7, 100 + poll), Set.of()), ask, now, now);
    }
  }

  @Test
  void aSequenceThatNobodyHasDrawnFromIsAskedForAMarkOnce() {
    mark(0, 100, 100);
    read(101);
    now += LONG_AFTER;
    assertThat(horizon.ask(now)).isEqualTo(Ask.NOTHING);
  }

  @Test
  void aSequenceThatGoesBackIsNoticedByReadsThatAskForNothing() {
    mark(7, 100, 100);
    read(101);
    horizon.read(marked(9, 0, 102), Ask.NOTHING, now, now);
    assertThat(horizon.hasGoneBack(marked(9, 0, 103), 0)).isFalse();
    assertThat(horizon.hasGoneBack(marked(8, 0, 103), 0)).isTrue();
  }

  @Test
  void anotherHistoryIsNoticedAlsoAfterACrash() { // issue 19
    assertThat(horizon.isOfAnotherHistory(of(2))).as("nothing is known yet").isFalse();
    horizon.read(of(2), Ask.NOTHING, now, now);
    horizon.read(of(0), Ask.NOTHING, now, now);
    Horizon afterCrash = horizon.anew(now);

    for (Horizon each : List.of(horizon, afterCrash)) {
      assertThat(each.isOfAnotherHistory(of(2))).isFalse();
      assertThat(each.isOfAnotherHistory(of(0))).as("it does not tell").isFalse();
      assertThat(each.isOfAnotherHistory(of(3))).isTrue();
    }
  }

  private static ReadResult of(long history) {
    return new ReadResult(
        List.of(), List.of(), false, new Server(history, history), 50, null, null);
  }

  /** Among the rows is one that the mark has not passed. */
  private long publishers(long drawn, Set<String> running) {
    ReadResult.Mark mark = new ReadResult.Mark(drawn, 1_000);
    return horizon.read(result(50, mark, running, row(drawn)), Ask.MARK_AND_PUBLISHERS, now, now);
  }

  private long mark(long drawn, long transaction, long oldest) {
    return horizon.read(marked(drawn, transaction, oldest), Ask.MARK, now, now);
  }

  private static ReadResult marked(long drawn, long transaction, long oldest) {
    return result(oldest, new ReadResult.Mark(drawn, transaction), null);
  }

  private long read(long oldest) {
    return horizon.read(result(oldest, null, null), Ask.NOTHING, now, now);
  }

  private static ReadResult result(
      long oldest,
      ReadResult.@Nullable Mark mark,
      @Nullable Set<String> publishers,
      StoredMessage... rows) {
    return new ReadResult(
        List.of(rows), List.of(), false, Server.UNKNOWN, oldest, mark, publishers);
  }

  private static StoredMessage row(long seq) {
    return new StoredMessage(
        0,
        seq,
        new Envelope(
            new UUID(0, seq),
            "type",
            null,
            null,
            null,
            Map.of(),
            "text/plain",
            null,
            Instant.EPOCH,
            null),
        Instant.EPOCH,
        null);
  }
}
