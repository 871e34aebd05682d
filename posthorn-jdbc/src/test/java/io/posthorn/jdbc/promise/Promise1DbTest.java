/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Message;
import io.posthorn.PublishException;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Promise 1: a message is delivered if and only if its transaction commits. */
class Promise1DbTest extends OneDatabase {
  @Test
  void promise1_aMessageIsDeliveredIfAndOnlyIfItsTransactionCommits() throws Exception {
    SteppedRelay relay = relay("a");
    relay.drain();
    UUID committed = publish("k");
    try (Connection connection = transactions.begin()) {
      publisher.outbox().publish(message("k"));
      connection.rollback();
    }
    Connection closedWithoutCommit = transactions.begin();
    publisher.outbox().publish(message("k"));
    closedWithoutCommit.close();

    relay.drain();

    relay.log().assertDeliveredExactly(HANDLER, List.of(committed));
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void nothingIsVisibleBeforeTheCommit() throws Exception {
    SteppedRelay relay = relay("a");
    relay.drain();
    try (Connection connection = transactions.begin()) {
      publisher.outbox().publish(message("k"));
      relay.drain();
      relay.log().assertNothingDelivered();
      connection.commit();
    }
    relay.drain();
    assertThat(relay.log().delivered()).hasSize(1);
  }

  @Test
  void aRollBackToASavepointLeavesNoTrace() throws Exception {
    List<UUID> kept = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      kept.add(publisher.outbox().publish(message("k")));
      Savepoint savepoint = connection.setSavepoint();
      publisher.outbox().publish(message("k"));
      connection.rollback(savepoint);
      kept.add(publisher.outbox().publish(message("k")));
      connection.commit();
    }
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, kept);
  }

  /**
   * What was published before the savepoint, but written after it, the database takes back too: it
   * is written again.
   */
  @Test
  void aRollBackToASavepointKeepsWhatWasPublishedBeforeIt() throws Exception {
    List<UUID> kept = new ArrayList<>();
    int most = 500; // publish.buffer-messages
    try (Connection connection = transactions.begin()) {
      kept.add(publisher.outbox().publish(message("k")));
      Savepoint savepoint = connection.setSavepoint();
      publisher.outbox().publishAll(IntStream.range(0, most).mapToObj(i -> message("k")).toList());
      assertThat(database.rows().ready()).as("not committed, so not visible").isEmpty();
      connection.rollback(savepoint);
      kept.add(publisher.outbox().publish(message("k")));
      connection.commit();
    }
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, kept);
  }

  @Test
  void nestedSavepointsAreTakenBackOneByOne() throws Exception {
    List<UUID> kept = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      Savepoint beforeAnything = connection.setSavepoint();
      publisher.outbox().publish(message("k"));
      connection.rollback(beforeAnything);
      kept.add(publisher.outbox().publish(message("k")));
      Savepoint outer = connection.setSavepoint();
      kept.add(publisher.outbox().publish(message("k")));
      Savepoint inner = connection.setSavepoint();
      publisher.outbox().publish(message("k"));
      connection.rollback(inner);
      publisher.outbox().publish(message("k"));
      connection.rollback(inner);
      connection.releaseSavepoint(outer);
      connection.commit();
    }
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, kept);
  }

  /** Each with a savepoint, as nested transactions have; some fail, and the others stand. */
  @Test
  void manySavepointsOfALargeTransactionAreTakenBackOneByOne() throws Exception {
    List<UUID> kept = new ArrayList<>();
    int most = 500; // publish.buffer-messages
    try (Connection connection = transactions.begin()) {
      for (int i = 0; i < 3 * most; i++) {
        Savepoint savepoint = connection.setSavepoint();
        UUID id = publisher.outbox().publish(message("k"));
        if (i % 100 == 99) {
          connection.rollback(savepoint);
        } else {
          kept.add(id);
        }
        if (i % 3 == 0) {
          connection.releaseSavepoint(savepoint);
        }
      }
      connection.commit();
    }
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, kept);
  }

  @Test
  void aPublishInsideAnotherBeforeCommitActionIsWritten() throws Exception {
    List<UUID> ids = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      transactions
          .current()
          .beforeCommit(
              () -> ids.add(publisher.outbox().publish(message("first of the transaction"))));
      connection.commit();
    }
    try (Connection connection = transactions.begin()) {
      ids.add(publisher.outbox().publish(message("k")));
      transactions
          .current()
          .beforeCommit(
              () ->
                  transactions
                      .current()
                      .beforeCommit(() -> ids.add(publisher.outbox().publish(message("k")))));
      connection.commit();
    }
    SteppedRelay relay = relay("a");
    relay.drain();
    assertThat(ids).hasSize(3);
    ids.forEach(id -> relay.log().assertDelivered(HANDLER, id));
  }

  @Test
  void aPublishAfterTheCommitHasBegunIsRefused() throws Exception {
    List<Exception> failures = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      transactions
          .current()
          .afterCommit(
              () -> {
                try {
                  publisher.outbox().publish(message("k"));
                } catch (PublishException e) {
                  failures.add(e);
                }
              });
      connection.commit();
    }
    assertThat(failures).singleElement().asString().contains("already committing");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aTransactionWithManyMessagesIsWrittenInOrder() throws Exception {
    int many = 1_777;
    List<UUID> ids =
        transactions.call(
            connection -> {
              List<UUID> published = new ArrayList<>();
              for (int i = 0; i < many; i++) {
                published.add(publisher.outbox().publish(message("k")));
              }
              return published;
            });
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.log().assertDeliveredExactly(HANDLER, ids);
  }

  /**
   * Drawn just before the commit, while the business rows are locked, seq order is commit order for
   * their writers.
   */
  @Test
  void seqIsDrawnJustBeforeTheCommit() throws Exception {
    try (Connection connection = transactions.begin()) {
      publisher.outbox().publish(Message.of(TYPE).key("early call").payload("{}").build());
      Thread other =
          new Thread(
              () -> {
                try {
                  publish("late call");
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      other.start();
      other.join(30_000);
      connection.commit();
    }
    assertThat(database.rows().ready())
        .extracting(StoredRows.Ready::key)
        .containsExactly("late call", "early call");
  }

  @Test
  void aFailureBeforeTheCommitRollsTheWholeTransactionBack() throws Exception {
    database.execute("CREATE TABLE business (id int)");
    try (Connection connection = transactions.begin()) {
      connection.createStatement().execute("INSERT INTO business VALUES (1)");
      publisher.outbox().publish(message("k"));
      transactions
          .current()
          .beforeCommit(
              () -> {
                throw new IllegalStateException("veto");
              });
      assertThatThrownBy(connection::commit).hasMessage("veto");
    }
    assertThat(database.number("SELECT count(*) FROM business")).isZero();
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
