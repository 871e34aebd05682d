/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.ReadSlice;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Deferred rows with a key are read lane by lane, in order, due or not.
 *
 * @since 0.1
 */
public abstract class LaneContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private StoredMessage hold(int partition, String handler, String key) {
    return defer(me, Messages.keyed(partition, key), handler, held());
  }

  private List<Long> seqs(List<LaneId> lanes, int limit) {
    return relay().readLanes(lanes, limit).stream().map(row -> row.message().seq()).toList();
  }

  private DeferredMessage only(LaneId lane) {
    List<DeferredMessage> rows = relay().readLanes(List.of(lane), 10);
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  @Test
  void handlersWithDeferredRowsAreListedByPartition() {
    hold(0, "mailer", "order-1");
    hold(0, "mailer", "order-1");
    hold(0, "audit", "order-1");
    hold(1, "mailer", "order-2");
    hold(2, "mailer", "order-3");

    assertThat(relay().deferredHandlers(List.of(0, 1, 3)))
        .containsOnlyKeys(0, 1)
        .containsEntry(0, Set.of("audit", "mailer"))
        .containsEntry(1, Set.of("mailer"));
    assertThat(relay().deferredHandlers(List.of())).isEmpty();
  }

  @Test
  void backlogIsReadInSeqOrderAcrossLanesBehindAPlace() {
    StoredMessage a1 = hold(0, "mailer", "a");
    StoredMessage b1 = hold(0, "mailer", "b");
    StoredMessage a2 = hold(0, "mailer", "a");
    StoredMessage c1 = hold(0, "mailer", "c");
    hold(0, "audit", "a");
    StoredMessage other = hold(3, "mailer", "d");

    assertThat(backlog("mailer", new ReadSlice(0, 0, 10)))
        .containsExactly(a1.seq(), b1.seq(), a2.seq(), c1.seq());
    assertThat(backlog("mailer", new ReadSlice(0, b1.seq(), 1), new ReadSlice(3, 0, 5)))
        .containsExactly(a2.seq(), other.seq());
  }

  @Test
  void rowsWithoutAKeyOrAHandlerOrThatMayBePassedAreNoBacklog() {
    defer(me, Messages.keyless(0), "mailer", held());
    defer(me, Messages.keyed(0, "order-1"), DeferredMessage.UNDECIDED, waiting(null));
    defer(me, Messages.keyed(0, "order-1"), "mailer", passed(Duration.ZERO));

    assertThat(backlog("mailer", new ReadSlice(0, 0, 10))).isEmpty();
    assertThat(backlog(DeferredMessage.UNDECIDED, new ReadSlice(0, 0, 10))).isEmpty();
    assertThat(relay().readLanes(List.of(new LaneId(0, "mailer", "order-1")), 10)).isEmpty();
  }

  @Test
  void aRowThatMayBePassedFromNowOnLeavesItsLane() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "no"));
    StoredMessage behind = hold(0, "mailer", "order-1");

    settleDeferred(me, row, "mailer", passed(Duration.ZERO));

    assertThat(seqs(List.of(new LaneId(0, "mailer", "order-1")), 10)).containsExactly(behind.seq());
    assertThat(relay().readDue(List.of(0), List.of("mailer"), 10))
        .extracting(found -> found.message().seq())
        .containsExactly(row.seq());
    settleDeferred(me, row, "mailer", retrying(2, Duration.ZERO, "no"));
    assertThat(relay().readDue(List.of(0), List.of("mailer"), 10)).as("stays out").hasSize(1);
  }

  @Test
  void aRowOfTheBacklogIsDueWhenTheHeadOfItsLaneIs() {
    defer(me, Messages.keyed(0, "a"), "mailer", retrying(1, HOUR, "busy"));
    hold(0, "mailer", "a");
    hold(0, "mailer", "b");

    assertThat(relay().readBacklog("mailer", List.of(new ReadSlice(0, 0, 10))))
        .extracting(row -> row.dueIn().compareTo(Duration.ZERO) > 0)
        .containsExactly(true, true, false);
    advance(HOUR.plusSeconds(1));
    assertThat(relay().readBacklog("mailer", List.of(new ReadSlice(0, 0, 10))))
        .allMatch(row -> row.dueIn().compareTo(Duration.ZERO) <= 0)
        .allMatch(row -> row.message().envelope().payload() != null);
  }

  @Test
  void lanesWhoseRowHasComeToItsTimeAreFound() {
    defer(me, Messages.keyed(0, "a"), "mailer", retrying(1, HOUR, "busy"));
    defer(me, Messages.keyed(1, "b"), "mailer", retrying(1, Duration.ZERO, "busy"));
    defer(me, Messages.keyed(1, "c"), "audit", retrying(1, Duration.ZERO, "busy"));
    defer(me, Messages.keyless(1), "mailer", retrying(1, Duration.ZERO, "busy"));
    hold(1, "mailer", "d");

    assertThat(relay().dueLanes(List.of(0, 1), List.of("mailer"), 10))
        .containsExactly(new LaneId(1, "mailer", "b"));
    advance(HOUR.plusSeconds(1));
    assertThat(relay().dueLanes(List.of(0, 1), List.of("mailer"), 10)).hasSize(2);
    assertThat(relay().dueLanes(List.of(0, 1), List.of("mailer"), 1)).hasSize(1);
  }

  private List<Long> backlog(String handler, ReadSlice... slices) {
    return relay().readBacklog(handler, List.of(slices)).stream()
        .map(row -> row.message().seq())
        .toList();
  }

  @Test
  void laneIsReadInSeqOrderWhateverTheDueTimes() {
    StoredMessage first =
        defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "busy"));
    StoredMessage second = hold(0, "mailer", "order-1");
    StoredMessage third = defer(me, Messages.keyed(0, "order-1"), "mailer", waiting(Duration.ZERO));

    assertThat(seqs(List.of(new LaneId(0, "mailer", "order-1")), 10))
        .containsExactly(first.seq(), second.seq(), third.seq());
  }

  @Test
  void laneKeepsTheOrderOfSeqWhenItsRowsAreDeferredInAnother() {
    StoredMessage first = append(Messages.keyed(0, "order-1"));
    StoredMessage second = append(Messages.keyed(0, "order-1"));
    settleReady(me, second, new Leftover("mailer", held()));
    settleReady(me, first, new Leftover("mailer", held()));

    assertThat(seqs(List.of(new LaneId(0, "mailer", "order-1")), 1)).containsExactly(first.seq());
  }

  @Test
  void limitCountsForEachLane() {
    StoredMessage a1 = hold(0, "mailer", "a");
    StoredMessage a2 = hold(0, "mailer", "a");
    hold(0, "mailer", "a");
    StoredMessage b1 = hold(0, "mailer", "b");
    StoredMessage c1 = hold(5, "audit", "c");
    hold(0, "audit", "a");

    assertThat(
            seqs(
                List.of(
                    new LaneId(0, "mailer", "a"),
                    new LaneId(0, "mailer", "b"),
                    new LaneId(5, "audit", "c"),
                    new LaneId(5, "audit", "none")),
                2))
        .containsExactlyInAnyOrder(a1.seq(), a2.seq(), b1.seq(), c1.seq());
  }

  @Test
  void noLanesReadNothing() {
    hold(0, "mailer", "order-1");

    assertThat(relay().readLanes(List.of(), 10)).isEmpty();
  }

  @Test
  void keysThatDifferInCaseBlanksOrAccentsAreDifferentLanes() {
    List<String> keys =
        List.of("order", "Order", "ORDER", "order ", " order", "örder", "o\u0308rder");
    keys.forEach(key -> hold(0, "mailer", key));

    for (String key : keys) {
      assertThat(only(new LaneId(0, "mailer", key)).message().envelope().key()).isEqualTo(key);
    }
  }

  @Test
  void rowTellsHandlerReasonAttemptsAndError() {
    defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(3, HOUR, "busy"));

    DeferredMessage row = only(new LaneId(0, "mailer", "order-1"));

    assertThat(row.handler()).isEqualTo("mailer");
    assertThat(row.reason()).isEqualTo(DeferReason.RETRYING);
    assertThat(row.attempts()).isEqualTo(3);
    assertThat(row.lastError()).isEqualTo("busy");
  }

  @Test
  void dueTimeRunsOnTheStoresClock() {
    defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "busy"));
    LaneId lane = new LaneId(0, "mailer", "order-1");

    assertThat(only(lane).dueIn()).isBetween(HOUR.minusMinutes(1), HOUR);
    advance(Duration.ofMinutes(30));
    assertThat(only(lane).dueIn()).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
    advance(Duration.ofMinutes(40));
    assertThat(only(lane).dueIn()).isBetween(Duration.ofMinutes(-11), Duration.ofMinutes(-10));
  }

  @Test
  void dueTimeIsSetAnewWhenTheMessageFailsAgain() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "x"));
    advance(HOUR);

    settleDeferred(me, row, "mailer", retrying(2, HOUR.multipliedBy(2), "y"));

    assertThat(only(new LaneId(0, "mailer", "order-1")).dueIn())
        .isBetween(Duration.ofMinutes(119), Duration.ofMinutes(120));
  }

  @Test
  void heldRowHasNoTimeOfItsOwn() {
    StoredMessage row = hold(0, "mailer", "order-1");
    LaneId lane = new LaneId(0, "mailer", "order-1");

    assertThat(only(lane).dueIn()).isZero();
    settleDeferred(me, row, "mailer", retrying(1, HOUR, "x"));
    settleDeferred(me, row, "mailer", held());
    assertThat(only(lane).dueIn()).isZero();
  }

  @Test
  void deferredMessageExpiresOnTheStoresClock() {
    Instant expiry = storeNow().plus(HOUR);
    defer(me, Messages.expiring(0, expiry), "mailer", held());
    LaneId lane = new LaneId(0, "mailer", "order-1");

    assertThat(only(lane).message().expired()).isFalse();
    advance(HOUR);
    assertThat(only(lane).message().expired()).isTrue();
  }
}
