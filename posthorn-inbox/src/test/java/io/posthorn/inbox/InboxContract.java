/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.jdbc.JdbcTransactions;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message has its effect once, whatever happens to transactions. */
abstract class InboxContract {
  private static final String CONSUMER = "warehouse";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Counts counts = new Counts();
  private TestDatabase database;
  private JdbcTransactions transactions;
  private Inbox inbox;

  abstract TestDatabase database();

  @BeforeEach
  void open() {
    database = database();
    transactions = database.transactions();
    inbox = Inbox.builder(database.table().build(), transactions).listener(counts).build();
    inbox.open();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    database.close();
  }

  /** An effect in the transaction that the inbox has begun or joined. */
  private void effect(String what) throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
      insert.setString(1, what);
      insert.executeUpdate();
    }
  }

  private boolean handle(String messageId) throws SQLException {
    return inbox.once(CONSUMER, messageId, () -> effect(messageId));
  }

  @Test
  void aMessageIsHandledOnce() throws Exception {
    assertThat(handle("m-1")).isTrue();
    assertThat(handle("m-1")).isFalse();
    assertThat(handle("m-2")).isTrue();

    assertThat(database.effects()).isEqualTo(2);
    assertThat(database.rows()).isEqualTo(2);
    assertThat(counts.all())
        .isEqualTo(Map.of("consumed by warehouse", 2, "duplicate for warehouse", 1));
  }

  @Test
  void everyConsumerGetsTheMessage() throws Exception {
    assertThat(inbox.once("warehouse", "m-1", () -> effect("stock"))).isTrue();
    assertThat(inbox.once("billing", "m-1", () -> effect("bill"))).isTrue();

    assertThat(database.effects()).isEqualTo(2);
  }

  @Test
  void aResultComesOutOnce() {
    assertThat(inbox.callOnce(CONSUMER, "m-1", () -> "parcel")).contains("parcel");
    assertThat(inbox.callOnce(CONSUMER, "m-1", () -> "parcel")).isEmpty();
  }

  @Test
  void aFailureComesThroughAndLeavesNothing() throws Exception {
    IOException failure = new IOException("no parcel");

    assertThatThrownBy(
            () ->
                inbox.once(
                    CONSUMER,
                    "m-1",
                    () -> {
                      effect("half");
                      throw failure;
                    }))
        .isSameAs(failure)
        .hasNoSuppressedExceptions();

    assertThat(database.effects()).isZero();
    assertThat(database.rows()).isZero();
    assertThat(counts.all()).isEqualTo(Map.of("failed by warehouse", 1));
    assertThat(handle("m-1")).isTrue();
  }

  @Test
  void anErrorLeavesNothingEither() {
    StackOverflowError error = new StackOverflowError();

    assertThatThrownBy(
            () ->
                inbox.once(
                    CONSUMER,
                    "m-1",
                    () -> {
                      throw error;
                    }))
        .isSameAs(error);
    assertThat(database.rows()).isZero();
  }

  @Test
  void theCallersTransactionCarriesIt() throws Exception {
    transactions.run(
        connection -> {
          handle("m-1");
          handle("m-2");
          assertThat(handle("m-1")).as("within the same transaction").isFalse();
          assertThat(database.rows()).as("before the commit").isZero();
          assertThat(counts.all()).doesNotContainKey("consumed by warehouse");
        });

    assertThat(database.rows()).isEqualTo(2);
    assertThat(counts.all()).containsEntry("consumed by warehouse", 2);
  }

  @Test
  void theCallersRollBackTakesItBack() throws Exception {
    try (Connection connection = transactions.begin()) {
      handle("m-1");
      connection.rollback();
    }

    assertThat(database.rows()).isZero();
    assertThat(counts.all()).isEqualTo(Map.of("failed by warehouse", 1));
    assertThat(handle("m-1")).isTrue();
  }

  @Test
  void aCallerThatCatchesTheFailureCommitsWithoutTheMessage() throws Exception {
    transactions.run(
        connection -> {
          handle("m-1");
          Throwable caught =
              catchThrowable(
                  () ->
                      inbox.once(
                          CONSUMER,
                          "m-2",
                          () -> {
                            throw new IOException("no parcel");
                          }));
          assertThat(caught).isInstanceOf(IOException.class);
        });

    assertThat(database.rows()).isOne();
    assertThat(handle("m-1")).isFalse();
    assertThat(handle("m-2")).isTrue();
  }

  @Test
  void aMessageWhoseStatementFailedIsNotHandledEvenIfTheCallerCommits() throws Exception {
    try (Connection connection = transactions.begin()) {
      assertThatThrownBy(() -> inbox.once(CONSUMER, "m-1", () -> effect("x".repeat(200))))
          .isInstanceOf(SQLException.class);
      Throwable refusal = catchThrowable(connection::commit); // not all databases refuse it
      assertThat(refusal == null || database.rows() == 0).isTrue();
    }

    assertThat(database.rows()).isZero();
    assertThat(handle("m-1")).isTrue();
  }

  @Test
  void aCallerCanGoOnFromASavepointAfterAFailure() throws Exception {
    transactions.run(
        connection -> {
          Savepoint savepoint = connection.setSavepoint();
          assertThatThrownBy(() -> inbox.once(CONSUMER, "m-1", () -> effect("x".repeat(200))))
              .isInstanceOf(SQLException.class);
          connection.rollback(savepoint);
          handle("m-2");
        });

    assertThat(database.rows()).isOne();
    assertThat(handle("m-1")).isTrue();
  }

  // The row of the first try went with the savepoint; that of the second one must stay.
  @Test
  void aSecondTryAfterASavepointIsRecorded() throws Exception {
    transactions.run(
        connection -> {
          Savepoint savepoint = connection.setSavepoint();
          assertThatThrownBy(() -> inbox.once(CONSUMER, "m-1", () -> effect("x".repeat(200))))
              .isInstanceOf(SQLException.class);
          connection.rollback(savepoint);
          assertThat(handle("m-1")).isTrue();
        });

    assertThat(handle("m-1")).as("a redelivery").isFalse();
    assertThat(database.effects()).isOne();
  }

  @Test
  void aFailedActionIsTakenBackAloneAndTheCallerCanGoOn() throws Exception {
    transactions.run(
        connection -> {
          handle("m-1");
          assertThatThrownBy(
                  () ->
                      inbox.once(
                          CONSUMER,
                          "m-2",
                          () -> {
                            effect("half");
                            effect("x".repeat(200));
                          }))
              .isInstanceOf(SQLException.class)
              .hasNoSuppressedExceptions();
          assertThat(handle("m-2")).as("a second try in the same transaction").isTrue();
        });

    assertThat(database.effects()).isEqualTo(2);
    assertThat(database.rows()).isEqualTo(2);
    assertThat(counts.all())
        .isEqualTo(Map.of("consumed by warehouse", 2, "failed by warehouse", 1));
  }

  /** As with JPA or JTA. */
  @Test
  void withoutSavepointsTheRowOfALaterTryStaysToo() throws Exception {
    inbox = Inbox.on(database.table().build(), new WithoutSavepoints(transactions));

    transactions.run(
        connection -> {
          Savepoint savepoint = connection.setSavepoint();
          assertThatThrownBy(() -> inbox.once(CONSUMER, "m-1", () -> effect("x".repeat(200))))
              .isInstanceOf(SQLException.class);
          connection.rollback(savepoint);
          assertThat(handle("m-1")).isTrue();
        });

    assertThat(handle("m-1")).as("a redelivery").isFalse();
    assertThat(database.effects()).isOne();
  }

  @Test
  void aMessageWithoutAnIdCostsOnlyItself() {
    Function<String, String> ids =
        message -> {
          if (message.equals("no id")) {
            throw new IllegalArgumentException("nothing in it");
          }
          return message;
        };
    List<String> got = new ArrayList<>();

    assertThatThrownBy(
            () ->
                inbox.onceEach(
                    CONSUMER,
                    List.of("m-1", "no id", "m-2", "x".repeat(300), "m-1"),
                    ids,
                    got::addAll))
        .isInstanceOfSatisfying(
            MissingIdException.class,
            missing -> assertThat(missing.messages()).containsExactly("no id", "x".repeat(300)))
        .hasMessageContaining("2 messages for \"warehouse\" not handled")
        .hasMessageContaining("nothing in it");

    assertThat(got).containsExactly("m-1", "m-2");
    assertThat(database.rows()).isEqualTo(2);
    assertThat(counts.all())
        .isEqualTo(
            Map.of(
                "consumed by warehouse", 2,
                "duplicate for warehouse", 1,
                "failed by warehouse", 2));
  }

  @Test
  void whatASavepointTakesBackIsNotHandled() throws Exception {
    MapCache cache = new MapCache();
    inbox = Inbox.builder(database.table().build(), transactions).cache(cache).build();

    transactions.run(
        connection -> {
          Savepoint first = connection.setSavepoint();
          handle("m-1");
          connection.rollback(first);
          handle("m-2");
          Savepoint second = connection.setSavepoint();
          handle("m-3");
          connection.rollback(second);
          handle("m-4");
        });

    assertThat(cache.entries()).containsExactly("warehouse/m-2", "warehouse/m-4");
    assertThat(handle("m-1")).isTrue();
    assertThat(handle("m-3")).isTrue();
    assertThat(handle("m-2")).isFalse();
  }

  /** Starts a message whose end the test decides. */
  private Future<Boolean> begin(String messageId, CountDownLatch end, boolean fail)
      throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    Future<Boolean> running =
        threads.submit(
            () ->
                inbox.once(
                    CONSUMER,
                    messageId,
                    () -> {
                      effect(messageId);
                      entered.countDown();
                      assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
                      if (fail) {
                        throw new IOException("no parcel");
                      }
                    }));
    assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
    return running;
  }

  @Test
  void aSecondDeliveryWaitsForTheFirstAndIsADuplicate() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Future<Boolean> first = begin("m-1", end, false);
    Future<Boolean> second = threads.submit(() -> handle("m-1"));
    database.awaitWaiting(1);
    end.countDown();

    assertThat(first.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(second.get(20, TimeUnit.SECONDS)).isFalse();
    assertThat(database.effects()).isOne();
  }

  @Test
  void aSecondDeliveryTakesOverIfTheFirstFails() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Future<Boolean> first = begin("m-1", end, true);
    Future<Boolean> second = threads.submit(() -> handle("m-1"));
    database.awaitWaiting(1);
    end.countDown();

    assertThatThrownBy(() -> first.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
    assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(database.effects()).isOne();
  }

  private List<String> handleAll(List<String> messages) throws SQLException {
    return inbox.onceEach(
        CONSUMER,
        messages,
        Function.identity(),
        fresh -> {
          for (String message : fresh) {
            effect(message);
          }
        });
  }

  @Test
  void aBatchHandsOverWhatIsNewInItsOrder() throws Exception {
    handle("m-2");
    List<List<String>> calls = new ArrayList<>();

    List<String> handed =
        inbox.onceEach(
            CONSUMER, List.of("m-3", "m-2", "m-1", "m-3", "m-0"), Function.identity(), calls::add);

    assertThat(handed).containsExactly("m-3", "m-1", "m-0");
    assertThat(calls).containsExactly(List.of("m-3", "m-1", "m-0"));
    assertThat(database.rows()).isEqualTo(4);
    assertThat(counts.all())
        .isEqualTo(Map.of("consumed by warehouse", 4, "duplicate for warehouse", 2));
  }

  @Test
  void aBatchWithNothingNewIsNotHandedOver() throws Exception {
    handleAll(List.of("m-1", "m-2"));

    List<String> handed =
        inbox.onceEach(
            CONSUMER,
            List.of("m-2", "m-1"),
            Function.identity(),
            fresh -> {
              throw new AssertionError(fresh);
            });

    assertThat(handed).isEmpty();
    assertThat(handleAll(List.of())).isEmpty();
  }

  @Test
  void aBatchThatFailsLeavesNothing() {
    assertThatThrownBy(() -> handleAll(List.of("m-1", "x".repeat(200))))
        .isInstanceOf(SQLException.class);

    assertThat(database.rows()).isZero();
    assertThat(database.effects()).isZero();
    assertThat(counts.all()).isEqualTo(Map.of("failed by warehouse", 2));
  }

  @Test
  void aLargeBatchIsHandedOverWhole() throws Exception {
    List<String> messages = IntStream.range(0, 12_000).mapToObj(i -> "m-" + i).toList();

    assertThat(
            inbox.onceEach(CONSUMER, messages, Function.identity(), fresh -> effect("all of them")))
        .isEqualTo(messages);
    assertThat(handleAll(messages)).isEmpty();
  }

  // One batch holds "a" and waits for "b"; were the other to begin with "c", each would wait for
  // the other as soon as "b" is free.
  @Test
  void batchesWithTheSameMessagesInAnotherOrderDoNotBlockEachOther() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Future<Boolean> holder = begin("b", end, true);
    Future<List<String>> first = threads.submit(() -> handleAll(List.of("a", "b", "c")));
    database.awaitWaiting(1);
    Future<List<String>> second = threads.submit(() -> handleAll(List.of("c", "b", "a")));
    database.awaitWaiting(2);
    end.countDown();

    assertThatThrownBy(() -> holder.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
    assertThat(first.get(20, TimeUnit.SECONDS)).containsExactly("a", "b", "c");
    assertThat(second.get(20, TimeUnit.SECONDS)).isEmpty();
    assertThat(database.effects()).isEqualTo(3);
  }

  @Test
  void oldMessagesAreForgottenInBatches() throws Exception {
    List<String> old = IntStream.range(0, 2_500).mapToObj(i -> "old-" + i).toList();
    inbox.onceEach(CONSUMER, old, Function.identity(), fresh -> {});
    database.execute("UPDATE inbox_message SET received_at = TIMESTAMP '2020-01-01 00:00:00'");
    handle("young");

    assertThat(inbox.purge(Duration.ofDays(7))).isEqualTo(2_500);

    assertThat(database.rows()).isOne();
    assertThat(handle("young")).isFalse();
    assertThat(handle("old-7")).isTrue();
    assertThat(counts.all()).containsEntry("purged", 2_500);
  }

  /** Each process purges: they share the work, and none waits for another. */
  @Test
  void aPurgeLeavesToAnotherWhatThatIsAbout() throws Exception {
    inbox.onceEach(CONSUMER, List.of("a", "b", "c"), Function.identity(), fresh -> {});
    database.execute("UPDATE inbox_message SET received_at = TIMESTAMP '2020-01-01 00:00:00'");
    try (Connection another = transactions.begin();
        PreparedStatement delete =
            another.prepareStatement(
                "DELETE FROM inbox_message WHERE consumer = ? AND message_id = 'a'")) {
      delete.setString(1, CONSUMER);
      delete.executeUpdate();

      Future<Integer> purge = threads.submit(() -> inbox.purge(Duration.ofDays(7)));

      assertThat(purge.get(20, TimeUnit.SECONDS)).isEqualTo(2);
      another.commit();
    }
    assertThat(database.rows()).isZero();
  }

  @Test
  void thePausesOfAPurgeVaryAroundItsInterval() {
    Duration interval = Duration.ofMinutes(10);

    assertThat(InboxPurge.pause(interval, 0)).isEqualTo(Duration.ofMinutes(8));
    assertThat(InboxPurge.pause(interval, 0.5)).isEqualTo(interval);
    assertThat(InboxPurge.pause(interval, 1)).isEqualTo(Duration.ofMinutes(12));
  }

  @Test
  void thePurgeIsRepeatedUntilItIsClosed() throws Exception {
    handle("m-1");
    CountDownLatch twice = new CountDownLatch(2);
    Inbox purged =
        Inbox.builder(database.table().build(), transactions)
            .listener(
                new InboxListener() {
                  @Override
                  public void purged(int rows) {
                    database.execute(
                        "INSERT INTO inbox_message VALUES ('x', 'y', TIMESTAMP '2020-01-01 00:00:00')");
                    twice.countDown();
                  }
                })
            .build();
    database.execute("UPDATE inbox_message SET received_at = TIMESTAMP '2020-01-01 00:00:00'");

    try (InboxPurge purge = purged.purgeEvery(Duration.ofMillis(1), Duration.ofDays(7))) {
      assertThat(purge).isNotNull();
      assertThat(twice.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void transactionsThatHaveEndedAreRefused() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    transactions.run(
        connection ->
            transactions
                .current()
                .afterCommit(() -> failures.add(catchThrowable(() -> handle("m-1")))));

    assertThat(failures)
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure)
                    .hasMessage(
                        "Message \"m-1\" for \"warehouse\" not handled: the caller's transaction has ended. Handle messages before the commit, or in a transaction of their own"));
  }
}
