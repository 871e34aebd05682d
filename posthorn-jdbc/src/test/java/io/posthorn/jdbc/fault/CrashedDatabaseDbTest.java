/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server had not written to its disk when it crashed, it does a second time. */
@Timeout(120)
class CrashedDatabaseDbTest {
  private final PostgresServer server = PostgresServer.newest();
  private final List<Delivery> received = new ArrayList<>();
  private TestDatabase database;
  private JdbcTransactions transactions;
  private SteppedRelay relay;

  @BeforeEach
  void start() {
    server.withSetting("wal_writer_delay", "10s"); // what is not committed stays in the memory
    server.start();
    database = TestDatabase.postgres(server);
    transactions = database.transactions();
    relay =
        new SteppedRelay(
            "a",
            database.store(),
            transactions,
            database.clock(),
            builder ->
                builder.handler(
                    "mailer", "t", String.class, (text, delivery) -> received.add(delivery)));
  }

  @AfterEach
  void stop() throws Exception {
    withPatience(
        () -> {
          relay.close();
          return true;
        });
    database.close();
    server.close();
  }

  @Test
  void whatIsPublishedWithSeqsThatWereDrawnBeforeIsDeliveredAtOnce() throws Exception {
    while (relay.steps().step("lease") > 0) {
      // until it has its partitions
    }
    long drawn = drawInVain(500);
    for (int i = 0; i < 3; i++) {
      relay.steps().step("read"); // one mark is set, the next read passes it
    }

    server.stopImmediate();
    server.start();
    withPatience(this::publish);
    withPatience(
        () -> {
          relay.drain();
          return true;
        });

    assertThat(received).hasSize(1);
    assertThat(received.get(0).message().seq()).as("the sequence went back").isLessThan(drawn);
  }

  /** Nobody commits with these, so that the server need not remember them. */
  private long drawInVain(int seqs) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try (ResultSet row =
          statement.executeQuery(
              "SELECT max(nextval('outbox_seq')) FROM generate_series(1, %d)".formatted(seqs))) {
        row.next();
        return row.getLong(1);
      } finally {
        connection.rollback();
      }
    }
  }

  private Object publish() throws Exception {
    return transactions.call(
        connection ->
            relay.posthorn().outbox().publish(Message.of("t").key("k").payload("{}").build()));
  }

  /** Connections of before the crash fail once each. */
  private static <T> T withPatience(Callable<T> action) throws Exception {
    Exception last = new IllegalStateException("never tried");
    for (int i = 0; i < 100; i++) {
      try {
        return action.call();
      } catch (SQLException | StoreException e) {
        last = e;
      }
    }
    throw last;
  }
}
