/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.Filter;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * A relay that was expelled changes no row, and an outcome that is stored again changes nothing
 * more.
 *
 * @since 0.1
 */
public abstract class FencingContract extends StoreContract {
  private static final Settlement NOTHING = new Settlement(List.of(), List.of());

  private void changesNothing(RelayIdentity me, Settlement settlement) {
    StoredRows before = rows();
    assertThat(relay().settle(me, settlement)).isFalse();
    assertThat(rows()).isEqualTo(before);
  }

  private static Settlement ready(Settlement.Ready... rows) {
    return new Settlement(List.of(rows), List.of());
  }

  private static Settlement deferred(Settlement.Deferred... rows) {
    return new Settlement(List.of(), List.of(rows));
  }

  @Test
  void expelledRelaySettlesNoDelivery() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));

    changesNothing(expelled(), ready(left(row)));
  }

  @Test
  void expelledRelaySettlesNoFailure() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));

    changesNothing(expelled(), ready(left(row, new Leftover("mailer", held()))));
    changesNothing(expelled(), ready(left(row, deadFor("mailer"))));
  }

  @Test
  void expelledRelaySettlesNoDeferredMessage() {
    StoredMessage row = defer(join("a"), Messages.keyed(0, "order-1"), "mailer", held());

    changesNothing(expelled(), deferred(changed(row, "mailer", Fate.DELIVERED)));
    changesNothing(expelled(), deferred(changed(row, "mailer", new Fate.Ready())));
    changesNothing(expelled(), deferred(changed(row, "mailer", new Fate.Dead(1, "x"))));
    changesNothing(expelled(), deferred(changed(row, "mailer", waiting(null))));
  }

  @Test
  void relayThatLeftSettlesNothing() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    RelayIdentity gone = join("a");
    relay().leave(gone);
    join("a");

    changesNothing(gone, ready(left(row)));
    changesNothing(gone, ready(left(row, new Leftover("mailer", held()))));
  }

  @Test
  void relayThatNeverJoinedSettlesNothing() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    RelayIdentity me = join("a");

    changesNothing(new RelayIdentity("b", me.incarnation()), ready(left(row)));
    changesNothing(new RelayIdentity("a", me.incarnation() + 1), ready(left(row)));
  }

  @Test
  void staleRelaySettlesUntilItIsExpelled() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    RelayIdentity me = join("a");
    advance(LEASE.plus(MOMENT));

    assertThat(settleReady(me, row)).isTrue();

    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void emptySettlementTellsWhetherTheRelayIsAlive() {
    assertThat(relay().settle(join("a"), NOTHING)).isTrue();
    assertThat(relay().settle(expelled(), NOTHING)).isFalse();
  }

  @Test
  void rowsThatAreGoneAreNothingToSettle() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    RelayIdentity me = join("a");
    settleReady(me, row);
    StoredRows before = rows();

    assertThat(settleReady(me, row)).isTrue();
    assertThat(settleReady(me, row, new Leftover("mailer", held()), deadFor("x"))).isTrue();
    assertThat(settleDeferred(me, row, "mailer", Fate.DELIVERED)).isTrue();
    assertThat(settleDeferred(me, row, "mailer", new Fate.Ready())).isTrue();
    assertThat(settleDeferred(me, row, "mailer", new Fate.Dead(1, "x"))).isTrue();
    assertThat(settleDeferred(me, row, "mailer", held())).isTrue();

    assertThat(rows()).isEqualTo(before);
  }

  @Test
  void goneRowsDoNotKeepOthersFromBeingSettled() {
    List<StoredMessage> rows = append(Messages.many(3, 0));
    RelayIdentity me = join("a");
    settleReady(me, rows.get(0));

    relay()
        .settle(
            me,
            ready(
                left(rows.get(0), new Leftover("mailer", held())),
                left(rows.get(1), new Leftover("mailer", held())),
                left(rows.get(2))));

    StoreAssert.assertThat(rows()).hasReady(0);
    assertThat(rows().deferred())
        .extracting(StoredRows.Deferred::seq)
        .containsExactly(rows.get(1).seq());
  }

  @Test
  void rowIsSettledInItsOwnPartitionOnly() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    StoredRows before = rows();

    relay()
        .settle(
            join("a"),
            ready(
                new Settlement.Ready(
                    1, row.seq(), row.envelope().id(), "order-1", List.of(), List.of())));

    assertThat(rows().ready()).isEqualTo(before.ready());
  }

  @Test
  void aRowThatHasTheSeqOfAnotherMessageStays() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    StoredMessage deferred = defer(join("b"), Messages.keyed(0, "order-2"), "mailer", held());
    StoredRows before = rows();

    relay()
        .settle(
            join("a"),
            new Settlement(
                List.of(
                    new Settlement.Ready(
                        0,
                        row.seq(),
                        java.util.UUID.randomUUID(),
                        "order-1",
                        List.of(new Settlement.Leftover("mailer", held())),
                        List.of("audit"))),
                List.of(
                    new Settlement.Deferred(
                        0,
                        deferred.seq(),
                        java.util.UUID.randomUUID(),
                        "order-2",
                        "mailer",
                        Fate.DELIVERED))));

    assertThat(rows().ready()).isEqualTo(before.ready());
    assertThat(rows().deferred()).isEqualTo(before.deferred());
  }

  @Test
  void settlementWhoseAnswerWasLostChangesNothingMoreWhenRepeated() {
    RelayIdentity me = join("a");
    StoredMessage split = append(Messages.keyed(0, "a"));
    StoredMessage retried = defer(me, Messages.keyed(1, "b"), "mailer", held());
    StoredMessage moved = defer(me, Messages.keyed(2, "c"), "*", waiting(null));
    StoredMessage died = defer(me, Messages.keyed(3, "d"), "mailer", held());
    Settlement settlement =
        new Settlement(
            List.of(left(split, new Leftover("mailer", held()), deadFor("search"))),
            List.of(
                changed(retried, "mailer", retrying(1, Duration.ofMinutes(1), "busy")),
                changed(moved, "*", new Fate.Ready()),
                changed(died, "mailer", new Fate.Dead(2, "gave up"))));
    assertThat(relay().settle(me, settlement)).isTrue();
    StoredRows before = rows();

    assertThat(relay().settle(me, settlement)).isTrue();

    assertThat(rows()).isEqualTo(before);
  }

  /** The first commit has left a marker with the id of the message where it had stood. */
  @Test
  void aDeadLetterThatBlocksItsLaneIsStoredOnceWhenItsAnswerWasLost() {
    RelayIdentity me = join("a");
    StoredMessage read = append(Messages.keyed(0, "a"));
    StoredMessage retried = defer(me, Messages.keyed(1, "b"), "mailer", held());
    StoredMessage keyless = defer(me, Messages.keyless(2), "mailer", waiting(Duration.ZERO));
    Fate.Dead blocking = new Fate.Dead(2, "gave up", true);
    Settlement settlement =
        new Settlement(
            List.of(left(read, new Leftover("mailer", blocking))),
            List.of(changed(retried, "mailer", blocking), changed(keyless, "mailer", blocking)));
    assertThat(relay().settle(me, settlement)).isTrue();
    StoredRows before = rows();
    assertThat(before.dead()).hasSize(3);
    assertThat(before.deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED", "BLOCKED");
    List<Instant> diedAt = diedAt();
    advance(MOMENT);

    assertThat(relay().settle(me, settlement)).isTrue();

    assertThat(rows()).isEqualTo(before);
    assertThat(diedAt()).isEqualTo(diedAt);
  }

  private List<Instant> diedAt() {
    return database().store().admin().deadLetters(Filter.all(), null, 10).entries().stream()
        .map(DeadLetter::diedAt)
        .toList();
  }

  /** The outcome goes with the transaction of the handler. */
  @Test
  void settlingWithAHandlersTransactionIsTakenBackWithIt() {
    RelayIdentity me = join("a");
    StoredMessage row = append(Messages.keyed(0, "k"));
    Settlement delivered = new Settlement(List.of(left(row)), List.of());

    assertThatThrownBy(
            () ->
                database()
                    .inTransaction(
                        transaction -> {
                          assertThat(
                                  database()
                                      .store()
                                      .settle(transaction, me, delivered, LEASE.dividedBy(2)))
                              .isEqualTo(MessageStore.Settled.DONE);
                          throw new IllegalStateException("the handler failed after all");
                        }))
        .hasMessage("the handler failed after all");
    assertThat(rows().ready()).hasSize(1);

    assertThat(settledWith(me, delivered)).isEqualTo(MessageStore.Settled.DONE);
    assertThat(rows().noMessages()).isTrue();
    assertThat(settledWith(me, delivered)).as("once more").isEqualTo(MessageStore.Settled.GONE);
  }

  @Test
  void aDeferredRowIsSettledWithAHandlersTransactionToo() {
    RelayIdentity me = join("a");
    StoredMessage row = defer(me, Messages.keyed(0, "k"), "mailer", held());
    Settlement delivered =
        new Settlement(List.of(), List.of(changed(row, "mailer", Fate.DELIVERED)));

    assertThat(settledWith(me, delivered)).isEqualTo(MessageStore.Settled.DONE);
    assertThat(rows().noMessages()).isTrue();
    assertThat(settledWith(me, delivered)).isEqualTo(MessageStore.Settled.GONE);
  }

  @Test
  void anExpelledRelaySettlesNothingWithAHandlersTransaction() {
    StoredMessage row = append(Messages.keyed(0, "k"));
    RelayIdentity gone = expelled();

    assertThat(settledWith(gone, new Settlement(List.of(left(row)), List.of())))
        .isEqualTo(MessageStore.Settled.EXPELLED);
    assertThat(rows().ready()).hasSize(1);
  }

  private MessageStore.Settled settledWith(RelayIdentity me, Settlement settlement) {
    AtomicReference<MessageStore.Settled> result = new AtomicReference<>();
    database()
        .inTransaction(
            transaction ->
                result.set(
                    database().store().settle(transaction, me, settlement, LEASE.dividedBy(2))));
    return requireNonNull(result.get());
  }
}
