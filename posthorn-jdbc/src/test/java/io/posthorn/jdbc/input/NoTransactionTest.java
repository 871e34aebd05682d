/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.ConfigurationException;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NoTransactionTest {
  private final TestDatabase database = TestDatabase.h2();
  private final JdbcTransactions transactions = database.transactions();
  private final Outbox outbox =
      Posthorn.publishOnly(database.store(), transactions).start().outbox();

  @AfterEach
  void close() {
    assertThat(database.rows().ready())
        .as("nothing but what each test commits on purpose")
        .allMatch(row -> row.type().equals("good"));
    database.close();
  }

  private void assertStored(int count) {
    assertThat(database.rows().ready()).hasSize(count);
  }

  @Test
  void publishingWithoutATransactionIsRefusedWithTheWayOut() {
    assertThatThrownBy(() -> outbox.publish("bad", "{}"))
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "No message published: this thread has no active transaction. Publish inside JdbcTransactions.run(…), or between begin() and commit()");
    assertStored(0);
  }

  @Test
  void aTransactionOfAnotherThreadDoesNotCount() throws Exception {
    try (Connection connection = transactions.begin()) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread other =
          new Thread(() -> failure.set(catchThrowable(() -> outbox.publish("bad", "{}"))));
      other.start();
      other.join();
      connection.commit();

      assertThat(failure.get()).isInstanceOf(PublishException.class);
    }
    assertStored(0);
  }

  @Test
  void publishingAfterTheTransactionEndedIsRefused() throws Exception {
    transactions.run(connection -> outbox.publish("good", "{}"));

    assertThatThrownBy(() -> outbox.publish("bad", "{}"))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("no active transaction");
    assertStored(1);
  }

  @Test
  void publishingAfterARollbackGoesWithTheNextTransactionOfTheConnection() throws Exception {
    try (Connection connection = transactions.begin()) {
      outbox.publish("bad", "{}");
      connection.rollback();
      outbox.publish("good", "{}");
      connection.commit();
    }
    assertStored(1);
  }

  @Test
  void publishingInAnAfterCommitCallbackIsRefusedWithTheWayOut() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Connection connection = transactions.begin()) {
      outbox.publish("good", "{}");
      transactions
          .current()
          .afterCommit(() -> failure.set(catchThrowable(() -> outbox.publish("bad", "{}"))));
      connection.commit();
      connection.commit();
    }

    assertThat(failure.get())
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "No message published: the transaction is already committing or has ended. Publish before the commit, or in a transaction of its own");
    assertStored(1);
  }

  @Test
  void publishingInAnAfterRollbackCallbackIsRefused() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Connection connection = transactions.begin()) {
      transactions
          .current()
          .afterRollback(() -> failure.set(catchThrowable(() -> outbox.publish("bad", "{}"))));
      connection.rollback();
      connection.commit();
    }

    assertThat(failure.get())
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("already committing or has ended");
    assertStored(0);
  }

  @Test
  void publishingInABeforeCommitCallbackWorks() throws Exception {
    try (Connection connection = transactions.begin()) {
      transactions.current().beforeCommit(() -> outbox.publish("good", "{}"));
      connection.commit();
    }
    assertStored(1);
  }

  @Test
  void aTransactionOfAnotherDataSourceIsRefusedWithTheWayOut() throws Exception {
    try (TestDatabase other = TestDatabase.h2()) {
      JdbcTransactions others = other.transactions();

      others.run(
          connection ->
              assertThatThrownBy(() -> outbox.publish("bad", "{}"))
                  .isInstanceOf(PublishException.class)
                  .hasMessage(
                      "No message published: the transaction of this thread is on another data source than this outbox. Begin one on the outbox's own JdbcTransactions"));
    }
    assertStored(0);
  }

  @Test
  void aTransactionOfAnotherJdbcTransactionsOnTheSameDataSourceIsRefusedToo() throws Exception {
    database
        .transactions()
        .run(
            connection ->
                assertThatThrownBy(() -> outbox.publish("bad", "{}"))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("outbox's own JdbcTransactions"));
    assertStored(0);
  }

  @Test
  void storeAndTransactionsOnDifferentDataSourcesAreRefusedWhenBuilt() {
    try (TestDatabase other = TestDatabase.h2()) {
      Posthorn.Builder builder =
          Posthorn.publishOnly(JdbcMessageStore.on(other.dataSource()), transactions);

      assertThatThrownBy(builder::build)
          .isInstanceOf(ConfigurationException.class)
          .hasMessage(
              "the tables and the transactions are on different data sources, so that messages would not be recorded in the caller's transaction; pass the same data source to both");
    }
  }

  @Test
  void oneBadMessageAmongSeveralStoresNoneOfThem() throws Exception {
    Message good = Message.of("bad-neighbour").build();
    transactions.run(
        connection ->
            assertThatThrownBy(
                    () ->
                        outbox.publishAll(
                            List.of(good, Message.of("bad").key("x".repeat(256)).build(), good)))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("its key has 256 characters"));
    assertStored(0);
  }

  @Test
  void aSecondTransactionOfTheSameThreadIsRefusedWithTheWaysOut() throws Exception {
    try (Connection connection = transactions.begin()) {
      assertThatThrownBy(transactions::begin)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("use its connection, close it first, or set a savepoint");
      connection.rollback();
    }
  }

  @Test
  void autoCommitIsRefusedInsideATransaction() throws Exception {
    try (Connection connection = transactions.begin()) {
      assertThatThrownBy(() -> connection.setAutoCommit(true))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("commit or close it instead");
    }
  }
}
