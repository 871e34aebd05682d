/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Deferred rows with a key are read lane by lane, in order, due or not.
 *
 * @since 0.1
 */
public abstract class LaneContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private StoredMessage hold(int partition, String handler, String key) {
    return defer(me, Messages.keyed(partition, key), handler, held());
  }

  /** All lanes that are due, each with so many rows. */
  private List<Long> seqs(int rowsPerLane) {
    return read(rowsPerLane, 100, Long.MAX_VALUE).rows().stream()
        .map(row -> row.message().seq())
        .toList();
  }

  private DueResult read(int rowsPerLane, int maxRows, long maxBytes, DueRequest.Row... known) {
    List<DueRequest.Heads> slices =
        Stream.of(0, 3, 5)
            .flatMap(
                partition ->
                    Stream.of("audit", "mailer")
                        .map(handler -> new DueRequest.Heads(partition, handler, 10)))
            .toList();
    return relay().readDue(new DueRequest(slices, List.of(known), rowsPerLane, maxRows, maxBytes));
  }

  private DeferredMessage only(LaneId lane) {
    List<DeferredMessage> rows = lane(lane);
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
  void aLaneIsReadFromItsHeadOnInSeqOrder() {
    StoredMessage a1 = hold(0, "mailer", "a");
    StoredMessage b1 = hold(0, "mailer", "b");
    StoredMessage a2 = hold(0, "mailer", "a");
    hold(0, "mailer", "a");
    StoredMessage other = hold(3, "audit", "a");

    assertThat(seqs(2)).containsExactly(a1.seq(), a2.seq(), b1.seq(), other.seq());
    assertThat(seqs(1)).containsExactly(a1.seq(), b1.seq(), other.seq());
  }

  @Test
  void aLaneIsFoundWhenItsFirstRowIsDue() {
    StoredMessage first = defer(me, Messages.keyed(0, "a"), "mailer", retrying(1, HOUR, "busy"));
    StoredMessage second = hold(0, "mailer", "a");
    StoredMessage third = defer(me, Messages.keyed(0, "a"), "mailer", waiting(Duration.ZERO));

    assertThat(seqs(10)).as("what stands behind it is not").isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(seqs(10)).containsExactly(first.seq(), second.seq(), third.seq());
  }

  @Test
  void aLaneGoesOnWhenItsFirstRowIsDone() {
    StoredMessage first = defer(me, Messages.keyed(0, "a"), "mailer", retrying(1, HOUR, "busy"));
    StoredMessage second = hold(0, "mailer", "a");
    StoredMessage third = hold(0, "mailer", "a");
    assertThat(seqs(10)).isEmpty();

    settleDeferred(me, first, "mailer", Fate.DELIVERED);
    assertThat(seqs(10)).containsExactly(second.seq(), third.seq());
    settleDeferred(me, second, "mailer", new Fate.Dead(1, "refused"));
    assertThat(seqs(10)).containsExactly(third.seq());
  }

  @Test
  void whoSettlesALaneWaitsForNoOtherLaneOfItsHandler() { // issue 19
    StoredMessage first = hold(0, "mailer", "a");
    StoredMessage second = hold(0, "mailer", "b");
    RelayIdentity other = join("b"); // not every database has shared locks

    inHandlersTransaction(
        first,
        () ->
            assertThat(
                    CompletableFuture.supplyAsync(
                        () -> settleDeferred(other, second, "mailer", Fate.DELIVERED)))
                .succeedsWithin(PATIENCE)
                .isEqualTo(true));

    assertThat(rows().deferred()).isEmpty();
  }

  @Test
  void operatorsWaitForNoOtherLaneOfTheHandler() { // issue 19
    StoredMessage first = hold(0, "mailer", "a");
    hold(0, "mailer", "b");
    LaneId lane = new LaneId(0, "mailer", "b");
    AdminStore admin = database().store().admin();
    admin.block(lane);

    inHandlersTransaction(
        first,
        () -> {
          assertThat(CompletableFuture.supplyAsync(() -> admin.unblock(lane)))
              .succeedsWithin(PATIENCE)
              .isEqualTo(1);
          assertThat(CompletableFuture.supplyAsync(() -> admin.skipHead(lane, "skipped")))
              .succeedsWithin(PATIENCE);
        });

    assertThat(rows().deferred()).isEmpty();
  }

  /** Does it while the transaction of a handler is open that has settled a message. */
  private void inHandlersTransaction(StoredMessage row, Runnable meanwhile) {
    Settlement done = new Settlement(List.of(), List.of(changed(row, "mailer", Fate.DELIVERED)));
    database()
        .inTransaction(
            transaction -> {
              database().store().settle(transaction, me, done, LEASE.dividedBy(2));
              meanwhile.run();
            });
  }

  @Test
  void aLaneGoesOnWhenItsFirstRowIsDoneInAHandlersTransaction() {
    StoredMessage first = defer(me, Messages.keyed(0, "a"), "mailer", retrying(1, HOUR, "busy"));
    StoredMessage second = hold(0, "mailer", "a");

    database()
        .inTransaction(
            transaction ->
                database()
                    .store()
                    .settle(
                        transaction,
                        me,
                        new Settlement(
                            List.of(), List.of(changed(first, "mailer", Fate.DELIVERED))),
                        LEASE.dividedBy(2)));

    assertThat(seqs(10)).containsExactly(second.seq());
  }

  @Test
  void aRowThatJoinsALaneWhoseOthersHaveGoneIsDue() {
    StoredMessage first = hold(0, "mailer", "a");
    StoredMessage second = append(Messages.keyed(0, "a"));
    settleDeferred(me, first, "mailer", Fate.DELIVERED);

    settleReady(me, second, new Leftover("mailer", held()));

    assertThat(seqs(10)).containsExactly(second.seq());
  }

  @Test
  void laneKeepsTheOrderOfSeqWhenItsRowsAreDeferredInAnother() {
    StoredMessage first = append(Messages.keyed(0, "order-1"));
    StoredMessage second = append(Messages.keyed(0, "order-1"));
    settleReady(me, second, new Leftover("mailer", held()));
    settleReady(me, first, new Leftover("mailer", held()));

    assertThat(seqs(10)).containsExactly(first.seq(), second.seq());
  }

  @Test
  void aRowThatIsInMemoryIsNotFoundAgain() {
    StoredMessage first = hold(0, "mailer", "a");
    StoredMessage other = hold(0, "mailer", "b");
    hold(0, "mailer", "a");
    StoredMessage ofAudit = append(Messages.keyed(0, "c"));
    settleReady(me, ofAudit, new Leftover("audit", held()), new Leftover("mailer", held()));

    assertThat(
            read(
                    1,
                    100,
                    Long.MAX_VALUE,
                    new DueRequest.Row(0, first.seq(), "mailer"),
                    new DueRequest.Row(0, ofAudit.seq(), "mailer"))
                .rows())
        .extracting(row -> row.message().seq() + " " + row.handler())
        .containsExactlyInAnyOrder(other.seq() + " mailer", ofAudit.seq() + " audit");
  }

  @Test
  void whatIsReadIsBoundedByRowsAndBytes() {
    for (int i = 0; i < 5; i++) {
      hold(0, "mailer", "a");
    }
    hold(0, "mailer", "b");

    assertThat(read(10, 3, Long.MAX_VALUE))
        .satisfies(result -> assertThat(result.rows()).hasSize(3))
        .returns(true, DueResult::cut);
    assertThat(read(10, 100, 1))
        .satisfies(result -> assertThat(result.rows()).hasSize(1))
        .returns(true, DueResult::cut);
    assertThat(read(10, 100, 2L * ReadRequest.ROW_OVERHEAD_BYTES).rows()).hasSizeBetween(1, 2);
    assertThat(read(10, 100, Long.MAX_VALUE))
        .satisfies(result -> assertThat(result.rows()).hasSize(6))
        .returns(false, DueResult::cut);
  }

  @Test
  void rowsWithoutAKeyOrAHandlerOrThatMayBePassedStandInNoLane() {
    defer(me, Messages.keyless(0), "mailer", held());
    defer(me, Messages.keyed(0, "order-1"), DeferredMessage.UNDECIDED, waiting(null));
    defer(me, Messages.keyed(0, "order-1"), "mailer", passed(Duration.ZERO));

    assertThat(lane(new LaneId(0, "mailer", "order-1"))).isEmpty();
    assertThat(read(10, 100, Long.MAX_VALUE).rows()).hasSize(2).noneMatch(DeferredMessage::inLane);
  }

  @Test
  void aRowThatMayBePassedFromNowOnLeavesItsLane() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "no"));
    StoredMessage behind = hold(0, "mailer", "order-1");

    settleDeferred(me, row, "mailer", passed(HOUR));

    assertThat(seqs(10)).as("the lane goes on").containsExactly(behind.seq());
    settleDeferred(me, row, "mailer", retrying(2, Duration.ZERO, "no"));
    assertThat(due(List.of(0), List.of("mailer"), 10))
        .filteredOn(found -> found.message().seq() == row.seq())
        .as("stays out")
        .singleElement()
        .returns(false, DeferredMessage::inLane);
  }

  @Test
  void lanesAreCountedByHandlerUpToALimit() {
    for (int i = 0; i < 5; i++) {
      hold(0, "mailer", "order-" + i);
      hold(0, "mailer", "order-" + i);
    }
    hold(1, "audit", "order-1");
    hold(2, "audit", "order-2");

    assertThat(relay().countLanes(List.of(0, 1), List.of("mailer", "audit"), 100))
        .containsEntry("mailer", 5)
        .containsEntry("audit", 1);
    assertThat(relay().countLanes(List.of(0), List.of("audit"), 100).getOrDefault("audit", 0))
        .isZero();
  }

  @Test
  void rowsOfAHandlerAreReadBehindAPlace() {
    StoredMessage first = hold(0, "mailer", "a");
    StoredMessage second = defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "busy"));
    StoredMessage third = hold(0, "mailer", "b");
    hold(0, "audit", "a");

    assertThat(relay().readHandler("mailer", List.of(new Slice(0, first.seq(), 10))))
        .extracting(row -> row.message().seq())
        .containsExactly(second.seq(), third.seq());
    assertThat(relay().readHandler("mailer", List.of(new Slice(0, 0, 2)))).hasSize(2);
  }

  @Test
  void rowsOfAHandlerComeWithoutWhatMayBeLarge() {
    defer(me, Messages.withHeader(0, 1_000), "mailer", retrying(1, HOUR, "busy"));
    defer(me, Messages.sized(0, 1_000), "mailer", retrying(1, HOUR, "busy"));

    assertThat(relay().readHandler("mailer", List.of(new Slice(0, 0, 10))))
        .hasSize(2)
        .extracting(row -> row.message().envelope().bytes())
        .containsOnly(0);
  }

  @Test
  void aReadyRowTellsTheFirstDeferredRowOfItsLanes() {
    StoredMessage first = hold(0, "mailer", "a");
    hold(0, "mailer", "a");
    StoredMessage ofAudit = hold(0, "audit", "b");
    append(Messages.keyed(0, "a"));
    append(Messages.keyed(0, "b"));
    append(Messages.keyless(0));
    defer(me, Messages.keyed(0, "c"), "mailer", passed(HOUR));
    append(Messages.keyed(0, "c"));

    ReadResult result =
        relay()
            .read(
                new ReadRequest(
                    List.of(new Slice(0, 0, 10)),
                    NONE_KNOWN,
                    new ReadRequest.Lanes(List.of("audit", "mailer"), Set.of(0)),
                    10,
                    Long.MAX_VALUE,
                    ReadRequest.Ask.NOTHING));

    long none = ReadResult.NO_HEAD;
    assertThat(result.laneHeads())
        .containsExactly(
            new long[] {none, first.seq()},
            new long[] {ofAudit.seq(), none},
            new long[] {none, none},
            new long[] {none, none});
  }

  @Test
  void keysThatDifferInCaseBlanksOrAccentsAreDifferentLanes() {
    List<String> keys =
        List.of("order", "Order", "ORDER", "order ", " order", "örder", "o\u0308rder");
    keys.forEach(key -> hold(0, "mailer", key));

    assertThat(dueLanes(List.of(0), List.of("mailer"), 100))
        .extracting(LaneId::key)
        .hasSameElementsAs(keys);
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
  void heldRowThatIsTheFirstOfItsLaneIsDue() {
    StoredMessage row = hold(0, "mailer", "order-1");
    LaneId lane = new LaneId(0, "mailer", "order-1");

    assertThat(only(lane).dueIn()).isLessThanOrEqualTo(Duration.ZERO);
    settleDeferred(me, row, "mailer", retrying(1, HOUR, "x"));
    settleDeferred(me, row, "mailer", held());
    assertThat(only(lane).dueIn()).isLessThanOrEqualTo(Duration.ZERO);
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
