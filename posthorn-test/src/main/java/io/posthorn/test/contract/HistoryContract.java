/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.Posthorn;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Delivered messages are kept if the outcome says so, can be replayed, and are deleted by age.
 *
 * @since 0.1
 */
public abstract class HistoryContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private AdminStore admin() {
    return database().store().admin();
  }

  private static EntryId id(StoredMessage row, String handler) {
    return new EntryId(row.partition(), row.seq(), handler);
  }

  private StoredMessage deliver(NewMessage message, String... handlers) {
    StoredMessage row = append(message);
    settle(List.of(kept(row, List.of(), handlers)));
    return row;
  }

  private static Settlement.Ready kept(
      StoredMessage row, List<Leftover> leftovers, String... handlers) {
    return left(row, leftovers, List.of(handlers));
  }

  private boolean settle(List<Settlement.Ready> rows) {
    return relay().settle(me, new Settlement(rows, List.of()));
  }

  private List<EntryId> found(Filter filter) {
    List<EntryId> ids =
        admin().history(filter, null, 100).entries().stream().map(HistoryEntry::id).toList();
    assertThat(admin().countHistory(filter, null).matches()).isEqualTo(ids.size());
    return ids;
  }

  @Test
  void aDeliveredMessageIsKeptOnceForEachHandlerThatHadIt() {
    Instant before = storeNow();
    StoredMessage row = deliver(Messages.keyed(2, "order-1"), "audit", "mailer");
    StoredMessage unkept = append(Messages.keyed(2, "order-1"));
    settleReady(me, unkept);

    assertThat(found(Filter.all())).containsExactly(id(row, "audit"), id(row, "mailer"));
    HistoryEntry entry = admin().history(Filter.all(), null, 1).entries().get(0);
    assertThat(entry.messageId()).isEqualTo(row.envelope().id());
    assertThat(entry.message().createdAt()).isEqualTo(row.createdAt());
    assertThat(entry.deliveredAt()).isBetween(before, before.plus(HOUR));
    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void aSplitMessageIsKeptForThoseThatAreDone() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));

    settle(List.of(kept(row, List.of(new Leftover("mailer", held())), "audit")));
    assertThat(found(Filter.all())).containsExactly(id(row, "audit"));

    settleDeferred(me, row, "mailer", Fate.KEPT);
    assertThat(found(Filter.all())).containsExactly(id(row, "audit"), id(row, "mailer"));
    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void aDeferredMessageIsKeptOnlyIfTheOutcomeSaysSo() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", held());

    settleDeferred(me, row, "mailer", Fate.DELIVERED);

    assertThat(found(Filter.all())).isEmpty();
    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void hundredsAreKeptTogetherWithOutcomesOfOtherKinds() {
    List<StoredMessage> rows = append(Messages.many(400, 0));
    List<Settlement.Ready> outcomes = new ArrayList<>();
    for (StoredMessage row : rows) {
      outcomes.add(
          outcomes.size() % 4 == 0 ? left(row, deadFor("m")) : kept(row, List.of(), "m", "n"));
    }

    assertThat(settle(outcomes)).isTrue();

    assertThat(admin().countHistory(Filter.all(), null).matches()).isEqualTo(600);
    StoreAssert.assertThat(rows()).hasReady(0).hasDeadLetters(100);
  }

  @Test
  void anExpelledRelayKeepsNothing() {
    RelayIdentity gone = expelled();
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    Settlement simple = new Settlement(List.of(kept(row, List.of(), "mailer")), List.of());
    Settlement split =
        new Settlement(
            List.of(kept(row, List.of(new Leftover("audit", held())), "mailer")), List.of());

    assertThat(relay().settle(gone, simple)).isFalse();
    assertThat(relay().settle(gone, split)).isFalse();

    assertThat(found(Filter.all())).isEmpty();
    StoreAssert.assertThat(rows()).hasReady(1);
  }

  @Test
  void aRowThatIsNoLongerThereIsNotKept() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    settleReady(me, row);

    settle(List.of(kept(row, List.of(), "mailer")));

    assertThat(found(Filter.all())).isEmpty();
  }

  @Test
  void aResolvedDeadLetterIsKept() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", new Fate.Dead(1, "x"));

    assertThat(admin().remove(List.of(id(row, "mailer")), new Resolution("anna", "sent by post")))
        .hasSize(1);

    assertThat(found(Filter.all())).containsExactly(id(row, "mailer"));
    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void eachFilterFindsItsOwn() {
    StoredMessage first = deliver(Messages.keyed(0, "order-1"), "mailer");
    Instant delivered = admin().history(Filter.all(), null, 1).entries().get(0).deliveredAt();
    advance(HOUR);
    StoredMessage second = deliver(Messages.keyed(0, "order-2"), "audit");

    assertThat(found(Filter.all().key("order-1"))).containsExactly(id(first, "mailer"));
    assertThat(found(Filter.all().handler("audit"))).containsExactly(id(second, "audit"));
    assertThat(found(Filter.all().to(delivered.plus(MOMENT)))).containsExactly(id(first, "mailer"));
    assertThat(found(Filter.all().from(delivered.plus(MOMENT))))
        .containsExactly(id(second, "audit"));
  }

  @Test
  void aReplayedMessageIsDueAndStaysInTheHistory() {
    StoredMessage row = deliver(Messages.keyed(1, "order-1"), "audit", "mailer");

    assertThat(admin().replay(List.of(id(row, "mailer"), id(row, "search"))))
        .containsExactly(id(row, "mailer"));

    assertThat(rows().deferred())
        .containsExactly(
            new StoredRows.Deferred(
                1, row.seq(), "order-placed", "order-1", "mailer", "RETRYING", 0, null));
    LaneId lane = new LaneId(1, "mailer", "order-1");
    assertThat(dueLanes(List.of(1), List.of("mailer"), 10)).containsExactly(lane);
    DeferredMessage again = due(List.of(1), List.of("mailer"), 1).get(0);
    assertThat(again.message().envelope()).usingRecursiveComparison().isEqualTo(row.envelope());
    assertThat(found(Filter.all())).hasSize(2);
  }

  @Test
  void whatIsDeferredOrDeadIsNotReplayed() {
    StoredMessage row = deliver(Messages.keyed(1, "order-1"), "mailer");
    EntryId id = id(row, "mailer");
    admin().replay(List.of(id));

    assertThat(admin().replay(List.of(id))).isEmpty();
    settleDeferred(me, row, "mailer", new Fate.Dead(1, "x"));
    assertThat(admin().replay(List.of(id))).isEmpty();

    assertThat(rows().deferred()).isEmpty();
    StoreAssert.assertThat(rows()).hasDeadLetters(1);
  }

  @Test
  void aMessageThatWasDeliveredTwiceIsReplayedOnce() {
    StoredMessage row = deliver(Messages.keyless(1), "mailer");
    EntryId id = id(row, "mailer");
    admin().replay(List.of(id));
    advance(HOUR);
    settleDeferred(me, row, "mailer", Fate.KEPT);
    assertThat(found(Filter.all())).containsExactly(id, id);

    assertThat(admin().replay(List.of(id))).containsExactly(id);

    assertThat(due(List.of(1), List.of("mailer"), 10)).hasSize(1);
    List<HistoryEntry> both = admin().history(Filter.all(), null, 2).entries();
    Place first = new Place(id, both.get(0).deliveredAt());
    assertThat(admin().history(Filter.all(), first, 10).entries()).containsExactly(both.get(1));
  }

  @Test
  void aMessageIsFoundWhereverItIs() {
    StoredMessage ready = append(Messages.keyed(1, "order-1"));
    assertThat(admin().find(1, ready.seq()))
        .singleElement()
        .isInstanceOf(ReadyMessage.class)
        .satisfies(
            entry ->
                assertThat(entry.message().envelope())
                    .usingRecursiveComparison()
                    .isEqualTo(ready.envelope()));
    settle(
        List.of(
            kept(
                ready,
                List.of(
                    new Leftover("audit", held()), new Leftover("search", new Fate.Dead(1, "x"))),
                "mailer")));
    append(Messages.keyed(1, "order-1"));

    List<Entry> found = admin().find(1, ready.seq());

    assertThat(found)
        .extracting(Entry::handler, entry -> entry.getClass().getSimpleName())
        .containsExactlyInAnyOrder(
            tuple("audit", "DeferredEntry"),
            tuple("search", "DeadLetter"),
            tuple("mailer", "HistoryEntry"));
    assertThat(found)
        .allSatisfy(
            entry ->
                assertThat(entry.message().envelope().payload())
                    .isEqualTo(ready.envelope().payload()));
    assertThat(admin().find(2, ready.seq())).isEmpty();
  }

  // --- resolved dead letters

  private StoredMessage resolved(NewMessage message, String error) {
    StoredMessage row = defer(me, message, "mailer", new Fate.Dead(3, error));
    admin().remove(List.of(id(row, "mailer")), new Resolution("anna", "sent by post"));
    return row;
  }

  @Test
  void theHistoryTellsWhatAResolvedLetterHadDiedOf() {
    StoredMessage row = resolved(Messages.keyed(0, "order-1"), "no route to größe");

    assertThat(admin().history(Filter.all(), null, 10).entries())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.id()).isEqualTo(id(row, "mailer"));
              assertThat(entry.resolution()).isEqualTo(new Resolution("anna", "sent by post"));
              assertThat(entry.error()).isEqualTo("no route to größe");
            });
  }

  @Test
  void resolvedLettersAreFoundAmongDeliveries() {
    deliver(Messages.keyed(0, "order-1"), "mailer");
    StoredMessage row = resolved(Messages.keyed(0, "order-2"), "x");
    deliver(Messages.keyed(0, "order-3"), "mailer");

    assertThat(found(Filter.all())).hasSize(3);
    assertThat(found(Filter.all().onlyResolved())).containsExactly(id(row, "mailer"));
    assertThat(found(Filter.all().onlyResolved().key("order-1"))).isEmpty();
  }

  @Test
  void aReplayOfAllLeavesResolvedLettersOut() {
    StoredMessage delivered = deliver(Messages.keyed(0, "order-1"), "mailer");
    StoredMessage resolved = resolved(Messages.keyed(0, "order-2"), "x");
    try (Posthorn operator =
        Posthorn.publishOnly(database().store(), new InMemoryTransactions()).build()) {
      assertThat(operator.admin().history().replayAll(Filter.all())).isEqualTo(1);
      assertThat(rows().deferred())
          .extracting(StoredRows.Deferred::seq)
          .containsExactly(delivered.seq());

      assertThat(operator.admin().history().replay(List.of(id(resolved, "mailer")))).isEqualTo(1);
    }

    assertThat(rows().deferred()).hasSize(2);
  }

  @Test
  void aReopenedLetterIsADeadLetterAsBefore() {
    StoredMessage row = resolved(Messages.keyed(1, "order-1"), "no route");
    EntryId id = id(row, "mailer");

    assertThat(admin().reopen(List.of(id))).containsExactly(id);
    assertThat(admin().reopen(List.of(id))).isEmpty();

    assertThat(found(Filter.all())).isEmpty();
    assertThat(rows().dead())
        .containsExactly(
            new StoredRows.Dead(1, row.seq(), "order-placed", "order-1", "mailer", 3, "no route"));
    assertThat(admin().deadLetter(id).orElseThrow().message().envelope())
        .usingRecursiveComparison()
        .isEqualTo(row.envelope());
    assertThat(admin().retry(List.of(id))).containsExactly(id);
  }

  @Test
  void whatWasDeliveredOrIsElsewhereIsNotReopened() {
    StoredMessage delivered = deliver(Messages.keyed(1, "order-1"), "mailer");
    StoredMessage again = resolved(Messages.keyed(1, "order-2"), "x");
    admin().replay(List.of(id(again, "mailer")));

    assertThat(admin().reopen(List.of(id(delivered, "mailer"), id(again, "mailer")))).isEmpty();

    assertThat(found(Filter.all())).hasSize(2);
    StoreAssert.assertThat(rows()).hasDeadLetters(0);
  }

  @Test
  void aLetterThatWasResolvedTwiceIsReopenedOnce() {
    StoredMessage row = resolved(Messages.keyless(1), "first");
    EntryId id = id(row, "mailer");
    admin().reopen(List.of(id));
    advance(HOUR);
    admin().remove(List.of(id), new Resolution("ben", null));
    deliver(Messages.keyless(1), "mailer");

    assertThat(admin().reopen(List.of(id))).containsExactly(id);

    assertThat(rows().dead()).extracting(StoredRows.Dead::error).containsExactly("first");
    assertThat(found(Filter.all().onlyResolved())).isEmpty();
    assertThat(found(Filter.all())).hasSize(1);
  }

  @Test
  void oldHistoryIsDeletedOldestFirst() {
    StoredMessage oldest = deliver(Messages.keyless(0), "mailer");
    advance(MOMENT);
    StoredMessage older = deliver(Messages.keyless(0), "mailer");
    StoredMessage dead = defer(me, Messages.keyless(0), "mailer", new Fate.Dead(1, "x"));
    advance(HOUR.plus(HOUR));
    StoredMessage young = deliver(Messages.keyless(0), "mailer");
    assertThat(found(Filter.all())).contains(id(oldest, "mailer"));

    assertThat(database().store().purgeHistory(HOUR, 1)).isEqualTo(1);
    assertThat(found(Filter.all())).containsExactly(id(older, "mailer"), id(young, "mailer"));
    assertThat(database().store().purgeHistory(HOUR, 10)).isEqualTo(1);
    assertThat(database().store().purgeHistory(HOUR, 10)).isZero();

    assertThat(found(Filter.all())).containsExactly(id(young, "mailer"));
    assertThat(rows().dead()).extracting(StoredRows.Dead::seq).containsExactly(dead.seq());
  }
}
