/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.StoreException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database refuses one id of a batch when it has recorded others, one statement for each. */
class HalfRecordedBatchTest {
  private final TestDatabase database = TestDatabase.h2();
  private final JdbcTransactions transactions = database.transactions();
  private final List<String> handled = new ArrayList<>();

  @BeforeEach
  void refuse() {
    database.table().build().open();
    database.execute("ALTER TABLE inbox_message ALTER COLUMN message_id VARCHAR(6)");
    database.execute("ALTER TABLE inbox_message ADD CHECK (message_id <> 'b')");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void withoutSavepointsTheCallersTransactionIsNotCommitted() {
    Inbox inbox = Inbox.on(database.table().build(), new WithoutSavepoints(transactions));

    assertThatThrownBy(() -> transactions.run(connection -> assertRefused(inbox)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the transaction must roll back");

    assertThat(database.rows()).isZero();
  }

  @Test
  void aRollBackToASavepointOfTheCallersOwnIsEnough() throws Exception {
    Inbox inbox = Inbox.on(database.table().build(), new WithoutSavepoints(transactions));

    transactions.run(
        connection -> {
          Savepoint savepoint = connection.setSavepoint();
          assertRefused(inbox);
          connection.rollback(savepoint);
          assertThat(inbox.once("warehouse", "a", () -> handled.add("a"))).isTrue();
        });

    assertThat(database.rows()).isOne();
  }

  @Test
  void withSavepointsTheCallerCanGoOn() throws Exception {
    Inbox inbox = Inbox.on(database.table().build(), transactions);

    transactions.run(
        connection -> {
          assertRefused(inbox);
          assertThat(inbox.once("warehouse", "a", () -> handled.add("a"))).isTrue();
        });

    assertThat(database.rows()).isOne();
  }

  private void assertRefused(Inbox inbox) {
    List<String> messages = List.of("a", "b", "too long");
    assertThatThrownBy(() -> inbox.onceEach("warehouse", messages, id -> id, handled::addAll))
        .isInstanceOf(StoreException.class);
    assertThat(handled).isEmpty();
  }
}
