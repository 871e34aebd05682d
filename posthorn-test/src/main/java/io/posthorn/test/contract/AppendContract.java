/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.spi.NewMessage;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Transaction;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Messages are written with their transaction, in order, and purged by age.
 *
 * @since 0.1
 */
public abstract class AppendContract extends StoreContract {
  private static final Duration DAY = Duration.ofDays(1);

  private void write(Transaction transaction, NewMessage... messages) {
    database().store().append(transaction, List.of(messages));
  }

  private static List<UUID> ids(List<NewMessage> messages) {
    return messages.stream().map(message -> message.envelope().id()).toList();
  }

  private static List<UUID> idsOf(List<StoredMessage> rows) {
    return rows.stream().map(row -> row.envelope().id()).toList();
  }

  @Test
  void messagesAppearWithTheCommitAndNotBefore() {
    database()
        .inTransaction(
            transaction -> {
              write(transaction, Messages.keyed(3, "order-1"));
              StoreAssert.assertThat(rows()).hasReady(0);
            });

    assertThat(rows().ready())
        .singleElement()
        .returns(3, StoredRows.Ready::partition)
        .returns("order-placed", StoredRows.Ready::type)
        .returns("order-1", StoredRows.Ready::key);
  }

  @Test
  void rollBackLeavesNoMessage() {
    IllegalStateException failure = new IllegalStateException("the order was refused");

    assertThatThrownBy(
            () ->
                database()
                    .inTransaction(
                        transaction -> {
                          write(transaction, Messages.keyed(0, "order-1"));
                          throw failure;
                        }))
        .isSameAs(failure);

    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void seqFollowsTheOrderGivenAcrossPartitions() {
    List<StoredMessage> rows =
        append(
            List.of(
                Messages.keyed(5, "a"), Messages.keyed(0, "b"),
                Messages.keyed(5, "c"), Messages.keyless(2)));

    assertThat(rows).extracting(StoredMessage::seq).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void laterAppendsOfATransactionGetHigherSeqs() {
    NewMessage first = Messages.keyed(1, "order-1");
    NewMessage second = Messages.keyed(0, "order-2");
    NewMessage third = Messages.keyed(1, "order-1");
    database()
        .inTransaction(
            transaction -> {
              write(transaction, first);
              write(transaction, second, third);
            });

    assertThat(idsOf(readAll())).containsExactlyElementsOf(ids(List.of(first, second, third)));
  }

  @Test
  void laterTransactionsGetHigherSeqs() {
    StoredMessage first = append(Messages.keyed(4, "order-1"));
    StoredMessage second = append(Messages.keyed(1, "order-2"));
    StoredMessage third = append(Messages.keyed(4, "order-1"));

    assertThat(List.of(first.seq(), second.seq(), third.seq())).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void seqIsDrawnAtTheWriteAndNotAtTheCommit() {
    NewMessage early = Messages.keyed(0, "order-1");
    NewMessage late = Messages.keyed(0, "order-2");
    database()
        .inTransaction(
            outer -> {
              write(outer, early);
              database().inTransaction(inner -> write(inner, late));
              assertThat(idsOf(readAll())).containsExactlyElementsOf(ids(List.of(late)));
            });

    assertThat(idsOf(readAll())).containsExactlyElementsOf(ids(List.of(early, late)));
  }

  @Test
  void moreMessagesThanAStatementTakesAreWrittenInOrder() {
    List<NewMessage> messages = Messages.many(1_300, 2);

    append(messages);

    assertThat(idsOf(readAll())).containsExactlyElementsOf(ids(messages));
  }

  @Test
  void emptyListIsNothingToWrite() {
    database().inTransaction(this::write);

    StoreAssert.assertThat(rows()).hasNoMessages();
  }

  @Test
  void creationTimeIsOnTheStoresClock() {
    StoredMessage first = append(Messages.keyed(0, "order-1"));
    advance(DAY);
    StoredMessage second = append(Messages.keyed(0, "order-1"));

    assertThat(Duration.between(first.createdAt(), second.createdAt()))
        .isBetween(DAY, DAY.plusMinutes(1));
  }

  @Test
  void messagesForTheLogOnlyLeaveNoRow() {
    StoredMessage other = append(Messages.keyed(0, "order-1"));

    database()
        .inTransaction(
            transaction ->
                database().store().appendForLogOnly(transaction, Messages.many(1_300, 0)));

    assertThat(rows().ready()).extracting(StoredRows.Ready::seq).containsExactly(other.seq());
  }

  @Test
  void purgeDeletesMessagesThatAreOlderThanTheAge() {
    append(List.of(Messages.keyed(0, "order-1"), Messages.keyed(5, "order-2")));
    advance(DAY);
    StoredMessage young = append(Messages.keyed(0, "order-3"));

    assertThat(database().store().purgeReady(DAY.plusHours(1), 10)).isZero();
    assertThat(database().store().purgeReady(DAY.minusHours(1), 10)).isEqualTo(2);

    assertThat(rows().ready()).extracting(StoredRows.Ready::seq).containsExactly(young.seq());
  }

  @Test
  void purgeStopsAtItsLimitAndLeavesTheYoungestOfAPartition() {
    List<StoredMessage> rows = append(Messages.many(5, 0));
    advance(DAY);

    assertThat(database().store().purgeReady(Duration.ofHours(1), 3)).isEqualTo(3);

    assertThat(rows().ready())
        .extracting(StoredRows.Ready::seq)
        .containsExactly(rows.get(3).seq(), rows.get(4).seq());
  }

  @Test
  void purgeCountsItsLimitOverAllPartitions() {
    append(List.of(Messages.keyed(0, "a"), Messages.keyed(1, "b"), Messages.keyed(2, "c")));
    advance(DAY);

    assertThat(database().store().purgeReady(Duration.ofHours(1), 2)).isEqualTo(2);

    StoreAssert.assertThat(rows()).hasReady(1);
  }

  @Test
  void purgeLeavesDeferredMessagesAndDeadLettersAlone() {
    var me = join("a");
    defer(me, Messages.keyed(0, "order-1"), "mailer", held());
    StoredMessage row = append(Messages.keyed(0, "order-2"));
    settleReady(me, row, deadFor("mailer"));
    advance(DAY);

    assertThat(database().store().purgeReady(Duration.ofHours(1), 10)).isZero();

    assertThat(rows().deferred()).hasSize(1);
    StoreAssert.assertThat(rows()).hasDeadLetters(1);
  }
}
