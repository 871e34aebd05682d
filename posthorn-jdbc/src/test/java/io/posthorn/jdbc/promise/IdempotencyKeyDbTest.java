/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Outbox.Receipt;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Messages with idempotency keys on PostgreSQL. */
class IdempotencyKeyDbTest extends OneDatabase {
  private static final Executor ON_A_THREAD = command -> new Thread(command).start();

  private static Message once(String idempotencyKey) {
    return Message.of(TYPE).key("k").payload("{}").idempotencyKey(idempotencyKey).build();
  }

  private Receipt publishOnce(String idempotencyKey) {
    try {
      return transactions.call(connection -> publisher.outbox().publishOnce(once(idempotencyKey)));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private CompletableFuture<Receipt> publishBeside(String idempotencyKey) {
    return CompletableFuture.supplyAsync(() -> publishOnce(idempotencyKey), ON_A_THREAD);
  }

  private void assertWaits(CompletableFuture<Receipt> beside) {
    long waiting = 0;
    long begun = System.nanoTime();
    while (waiting == 0 && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(30)) {
      waiting =
          database.number(
              "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }
    assertThat(waiting).as("publishers that wait for the holder of the key").isEqualTo(1);
    assertThat(beside).isNotDone();
  }

  @Test
  void theSecondOfTwoTransactionsWaitsAndLearnsThatTheFirstHasPublished() throws Exception {
    CompletableFuture<Receipt> beside;
    UUID first;
    try (Connection connection = transactions.begin()) {
      first = publisher.outbox().publishOnce(once("payment-1")).id();
      beside = publishBeside("payment-1");
      assertWaits(beside);
      connection.commit();
    }

    assertThat(beside.get(30, TimeUnit.SECONDS)).isEqualTo(new Receipt(first, true));
    assertDelivered(List.of(first));
  }

  @Test
  void theSecondOfTwoTransactionsPublishesIfTheFirstRollsBack() throws Exception {
    CompletableFuture<Receipt> beside;
    try (Connection connection = transactions.begin()) {
      publisher.outbox().publishOnce(once("payment-1"));
      beside = publishBeside("payment-1");
      assertWaits(beside);
      connection.rollback();
    }

    Receipt second = beside.get(30, TimeUnit.SECONDS);
    assertThat(second.alreadyPublished()).isFalse();
    assertDelivered(List.of(second.id()));
  }

  @Test
  void aRollBackToASavepointFreesTheKey() throws Exception {
    List<Receipt> receipts = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      Savepoint savepoint = connection.setSavepoint();
      publisher.outbox().publishOnce(once("payment-1"));
      connection.rollback(savepoint);
      receipts.add(publisher.outbox().publishOnce(once("payment-1")));
      receipts.add(publisher.outbox().publishOnce(once("payment-1")));
      connection.commit();
    }

    assertThat(receipts).extracting(Receipt::alreadyPublished).containsExactly(false, true);
    assertDelivered(List.of(receipts.get(0).id()));
  }

  /** Each key is taken by one of them, whichever order they name the keys in. */
  @Test
  void transactionsThatTakeTheSameKeysDoNotDeadlock() throws Exception {
    List<Message> there = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      there.add(once("payment-" + i));
    }
    List<Message> back = new ArrayList<>(there);
    Collections.reverse(back);

    List<CompletableFuture<List<UUID>>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      List<Message> messages = i % 2 == 0 ? there : back;
      calls.add(CompletableFuture.supplyAsync(() -> publishAll(messages), ON_A_THREAD));
    }
    for (CompletableFuture<List<UUID>> call : calls) {
      call.get(60, TimeUnit.SECONDS);
    }

    List<UUID> first = calls.get(0).join();
    List<UUID> reversed = new ArrayList<>(calls.get(1).join());
    Collections.reverse(reversed);
    assertThat(first).doesNotHaveDuplicates().isEqualTo(reversed);
    SteppedRelay relay = relay("a");
    relay.drain();
    assertThat(relay.log().delivered())
        .extracting(Delivery::messageId)
        .containsExactlyInAnyOrderElementsOf(first);
  }

  @Test
  void aStricterTransactionFailsOverAKeyThatItCannotSee() throws Exception {
    try (Connection connection = transactions.begin()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.createStatement().execute("SELECT 1 FROM outbox_schema");
      UUID first = publishBeside("payment-1").get(30, TimeUnit.SECONDS).id();

      assertThatThrownBy(() -> publisher.outbox().publishOnce(once("payment-1")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the transaction must roll back");

      connection.rollback();
      assertDelivered(List.of(first));
    }
  }

  private List<UUID> publishAll(List<Message> messages) {
    try {
      return transactions.call(connection -> publisher.outbox().publishAll(messages));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void assertDelivered(List<UUID> ids) {
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, ids);
    assertThat(relay.log().delivered())
        .extracting(Delivery::idempotencyKey)
        .containsOnly("payment-1");
  }

  /** Processes that only publish purge all, and do not know of each other. */
  @Test
  void aPurgeLeavesToAnotherWhatThatIsAbout() throws Exception {
    publishOnce("a");
    publishOnce("b");
    publishOnce("c");
    Duration week = Duration.ofDays(7);
    database.clock().advance(week.plusSeconds(1));
    try (Connection another = transactions.begin();
        PreparedStatement delete =
            another.prepareStatement(
                "DELETE FROM outbox_idempotency WHERE idempotency_key = 'a'")) {
      delete.executeUpdate();

      CompletableFuture<Integer> purge =
          CompletableFuture.supplyAsync(() -> store.purgeIdempotency(week, 10), ON_A_THREAD);

      assertThat(purge.get(20, TimeUnit.SECONDS)).isEqualTo(2);
      another.commit();
    }
    assertThat(database.number("SELECT count(*) FROM outbox_idempotency")).isZero();
  }
}
