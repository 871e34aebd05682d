/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Deferred rows that have no lane are found when they are due.
 *
 * @since 0.1
 */
public abstract class DueContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant YEAR_9999 = Instant.parse("9999-12-31T23:59:59Z");
  private static final String UNDECIDED = DeferredMessage.UNDECIDED;

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private List<Long> dueSeqs(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return due(partitions, handlers, limit).stream().map(row -> row.message().seq()).toList();
  }

  private List<Long> due() {
    return dueSeqs(List.of(0), List.of("mailer", UNDECIDED), 10);
  }

  @Test
  void rowWithoutAKeyIsFoundOnceItIsDue() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(2, HOUR, "busy"));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(row.seq());
    assertThat(due(List.of(0), List.of("mailer"), 10))
        .singleElement()
        .returns("mailer", DeferredMessage::handler)
        .returns(DeferReason.RETRYING, DeferredMessage::reason)
        .returns(2, DeferredMessage::attempts)
        .returns("busy", DeferredMessage::lastError)
        .matches(found -> found.dueIn().compareTo(Duration.ZERO) <= 0, "is due");
  }

  @Test
  void howLongARowHasWaitedIsToldThroughAllItsChanges() {
    StoredMessage row = defer(me, Messages.keyless(0), UNDECIDED, waiting(null));
    advance(HOUR);
    settleDeferred(me, row, UNDECIDED, waiting(Duration.ofMinutes(1)));
    advance(HOUR);

    assertThat(due(List.of(0), List.of(UNDECIDED), 10))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.waited())
                    .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusMinutes(1)));
  }

  @Test
  void rowWithoutAKeyOrATimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", held());

    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void rowWithoutAKeyThatLosesItsTimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "busy"));

    settleDeferred(me, row, "mailer", waiting(null));

    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void rowThatFailsAgainIsDueAtItsNewTime() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "busy"));
    advance(HOUR.plus(MOMENT));

    settleDeferred(me, row, "mailer", retrying(2, HOUR, "busy"));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void undecidedRowIsFoundWithAndWithoutAKey() {
    StoredMessage keyed = defer(me, Messages.keyed(0, "order-1"), UNDECIDED, waiting(HOUR));
    StoredMessage keyless = defer(me, Messages.keyless(0), UNDECIDED, waiting(HOUR));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(keyed.seq(), keyless.seq());
  }

  @Test
  void undecidedRowWithoutATimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), UNDECIDED, waiting(null));
    assertThat(due()).containsExactly(row.seq());

    settleDeferred(me, row, UNDECIDED, waiting(HOUR));
    assertThat(due()).isEmpty();

    settleDeferred(me, row, UNDECIDED, waiting(null));
    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void onlyRowsOfTheHandlersThatAreAskedForAreFound() {
    StoredMessage mail = defer(me, Messages.keyless(0), "mailer", held());
    StoredMessage audit = defer(me, Messages.keyless(0), "audit", held());
    defer(me, Messages.keyless(0), UNDECIDED, waiting(null));

    assertThat(dueSeqs(List.of(0), List.of("audit"), 10)).containsExactly(audit.seq());
    assertThat(dueSeqs(List.of(0), List.of("audit", "mailer"), 10))
        .containsExactlyInAnyOrder(mail.seq(), audit.seq());
    assertThat(dueSeqs(List.of(0), List.of(), 10)).isEmpty();
  }

  @Test
  void onlyRowsOfThePartitionsThatAreAskedForAreFound() {
    defer(me, Messages.keyless(0), "mailer", held());
    StoredMessage row = defer(me, Messages.keyless(6), "mailer", held());

    assertThat(dueSeqs(List.of(5, 6), List.of("mailer"), 10)).containsExactly(row.seq());
    assertThat(dueSeqs(List.of(), List.of("mailer"), 10)).isEmpty();
  }

  @Test
  void rowThatWasDueFirstIsFoundFirst() {
    StoredMessage third = defer(me, Messages.keyless(0), "mailer", waiting(HOUR.multipliedBy(3)));
    StoredMessage first = defer(me, Messages.keyless(0), "mailer", waiting(HOUR));
    StoredMessage second =
        defer(me, Messages.keyed(0, "order-1"), "mailer", waiting(HOUR.multipliedBy(2)));
    StoredMessage ofAudit = defer(me, Messages.keyless(0), "audit", waiting(HOUR.multipliedBy(2)));
    advance(HOUR.multipliedBy(4));

    assertThat(dueSeqs(List.of(0), List.of("mailer", "audit"), 10))
        .as("handler by handler")
        .containsExactly(first.seq(), second.seq(), third.seq(), ofAudit.seq());
    assertThat(dueSeqs(List.of(0), List.of("mailer"), 2))
        .containsExactly(first.seq(), second.seq());
  }

  @Test
  void aHandlerWithManyRowsHidesNoOther() {
    for (int i = 0; i < 20; i++) {
      defer(me, Messages.keyless(0), "mailer", held());
    }
    StoredMessage ofAudit = defer(me, Messages.keyless(0), "audit", held());

    assertThat(
            relay()
                .readDue(
                    new DueRequest(
                        List.of(
                            new DueRequest.Heads(0, "mailer", 5),
                            new DueRequest.Heads(0, "audit", 5)),
                        List.of(),
                        1,
                        100,
                        Long.MAX_VALUE))
                .rows())
        .hasSize(6)
        .extracting(row -> row.message().seq())
        .contains(ofAudit.seq());
  }

  private static NewMessage delayed(NewMessage message, Duration delay) {
    return new NewMessage(
        message.partition(), message.envelope(), new NewMessage.Delay.After(delay));
  }

  private void write(List<NewMessage> messages) {
    database().inTransaction(transaction -> database().store().append(transaction, messages));
  }

  private List<UUID> dueIds(int limit) {
    return due(List.of(0, 1, 2, 3), List.of(UNDECIDED), limit).stream()
        .map(row -> row.message().envelope().id())
        .toList();
  }

  private static List<UUID> ids(List<NewMessage> messages) {
    return messages.stream().map(message -> message.envelope().id()).toList();
  }

  @Test
  void delayedMessageIsFoundOnceItIsDueWhetherItHasAKeyOrNot() {
    List<NewMessage> delayed =
        List.of(delayed(Messages.keyed(0, "order-1"), HOUR), delayed(Messages.keyless(0), HOUR));
    write(delayed);

    assertThat(readAll()).isEmpty();
    assertThat(dueIds(10)).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(dueIds(10)).containsExactlyElementsOf(ids(delayed));
    assertThat(due(List.of(0), List.of(UNDECIDED), 10))
        .allSatisfy(
            row -> {
              assertThat(row.reason()).isEqualTo(DeferReason.DELAYED);
              assertThat(row.attempts()).isZero();
              assertThat(row.lastError()).isNull();
            });
  }

  @Test
  void messageDelayedUntilAnInstantIsDueThenOnTheStoresClock() {
    NewMessage message = Messages.keyed(0, "order-1");
    Instant then = storeNow().plus(HOUR);
    NewMessage past = Messages.keyless(1);
    NewMessage never = Messages.keyless(2);
    write(
        List.of(
            new NewMessage(0, message.envelope(), new NewMessage.Delay.Until(then)),
            new NewMessage(1, past.envelope(), new NewMessage.Delay.Until(YEAR_1)),
            new NewMessage(2, never.envelope(), new NewMessage.Delay.Until(YEAR_9999))));

    advance(HOUR.minusMinutes(1));
    assertThat(dueIds(10)).containsExactlyElementsOf(ids(List.of(past)));
    advance(Duration.ofMinutes(2));
    assertThat(dueIds(10)).hasSameElementsAs(ids(List.of(past, message)));
  }

  @Test
  void readyAndDelayedMessagesOfOneWriteGoToTheirTables() {
    NewMessage ready = Messages.keyed(0, "order-1");
    List<NewMessage> delayed =
        Messages.many(1_300, 0).stream().map(message -> delayed(message, HOUR)).toList();
    List<NewMessage> all = new ArrayList<>(delayed);
    all.add(700, ready);

    write(all);

    assertThat(ids(List.of(ready)))
        .containsExactlyElementsOf(readAll().stream().map(row -> row.envelope().id()).toList());
    advance(HOUR.plus(MOMENT));
    assertThat(dueIds(2_000)).as("those due at the same time by seq").hasSize(1_300);
    assertThat(rows().deferred())
        .hasSize(1_300)
        .extracting(StoredRows.Deferred::key)
        .startsWith("order-0", "order-1", "order-2");
  }

  @Test
  void delayedMessageOfATransactionThatRollsBackLeavesNoRow() {
    database()
        .inTransaction(
            transaction ->
                database()
                    .takeBack(
                        transaction,
                        () ->
                            database()
                                .store()
                                .append(transaction, List.of(delayed(Messages.keyless(0), HOUR)))));

    assertThat(rows().deferred()).isEmpty();
  }

  @Test
  void delayedMessagesBecomeReadyInTheOrderOfTheirSettlement() {
    List<NewMessage> delayed = new ArrayList<>();
    Map<Duration, UUID> byDueTime = new TreeMap<>();
    for (int i = 0; i < 60; i++) {
      NewMessage message = Messages.keyed(1, "order-" + i);
      Duration delay = HOUR.minusMinutes((i * 37L) % 60); // each of them once
      delayed.add(delayed(message, delay));
      byDueTime.put(delay, message.envelope().id());
    }
    write(delayed);
    advance(HOUR.plus(MOMENT));
    List<DeferredMessage> due = due(List.of(1), List.of(UNDECIDED), 100);

    relay()
        .settle(
            me,
            new Settlement(
                List.of(),
                due.stream()
                    .map(row -> changed(row.message(), UNDECIDED, new Fate.Ready()))
                    .toList()));

    assertThat(readAll().stream().map(row -> row.envelope().id()))
        .containsExactlyElementsOf(byDueTime.values());
    assertThat(rows().deferred()).isEmpty();
  }

  @Test
  void rowThatIsNotDueDoesNotHideOneThatIs() {
    defer(me, Messages.keyless(0), "mailer", waiting(HOUR));
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", waiting(Duration.ZERO));

    assertThat(dueSeqs(List.of(0), List.of("mailer"), 1)).containsExactly(row.seq());
  }
}
