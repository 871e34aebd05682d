/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database without tables for each test. */
abstract class FreshDatabaseContract {
  private TestDatabase database;

  abstract TestDatabase newDatabase();

  @BeforeEach
  final void create() {
    database = newDatabase();
  }

  @AfterEach
  final void close() {
    database.close();
  }

  final TestDatabase database() {
    return database;
  }

  final JdbcMessageStore.Builder creating() {
    return database.builder();
  }

  final JdbcMessageStore.Builder finding() {
    return database.builder().createTables(false);
  }

  final void append(MessageStore store, String key) throws Exception {
    NewMessage message =
        new NewMessage(
            0,
            new Envelope(
                UUID.randomUUID(),
                "order-placed",
                null,
                key,
                null,
                Map.of(),
                "application/json",
                new byte[0],
                Instant.EPOCH,
                null));
    JdbcTransactions transactions = database.transactions();
    transactions.run(connection -> store.append(transactions.current(), List.of(message)));
  }
}
