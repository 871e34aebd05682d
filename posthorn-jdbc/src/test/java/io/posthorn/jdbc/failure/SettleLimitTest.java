/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On databases where it is a setting of the session, what bounds the waits of an outcome must not
 * stay on the application's connection, whatever becomes of the outcome.
 */
class SettleLimitTest {
  private static final Settlement DONE =
      new Settlement(
          List.of(new Settlement.Ready(0, 1, UUID.randomUUID(), null, List.of(), List.of())),
          List.of());

  private final HikariDataSource database = new HikariDataSource();
  private final JdbcTransactions transactions = new JdbcTransactions(database);
  private final JdbcMessageStore store =
      JdbcMessageStore.builder(database).dialect(new LimitedSessions()).build();
  private Connection keepAlive;

  private static final class LimitedSessions extends H2Dialect {
    @Override
    public Optional<String> transactionLimit(Duration limit) {
      return Optional.of("SET LOCK_TIMEOUT " + limit.toMillis());
    }

    @Override
    public Optional<String> noTransactionLimit() {
      return Optional.of("SET LOCK_TIMEOUT 1234");
    }
  }

  @BeforeEach
  void open() throws SQLException {
    database.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
    keepAlive = database.getConnection();
    store.open();
  }

  @AfterEach
  void close() throws SQLException {
    keepAlive.close();
    database.close();
  }

  private MessageStore.Settled settle(RelayIdentity me) {
    return store.settle(transactions.current(), me, DONE, Duration.ofSeconds(15));
  }

  private static int limit(JdbcConnection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** The limit holds until the transaction has ended, and no longer. */
  private void inTransaction(SqlStep step) throws Exception {
    AtomicReference<JdbcConnection> session = new AtomicReference<>();
    transactions.run(
        connection -> {
          session.set(connection.unwrap(JdbcConnection.class));
          step.run();
          assertThat(limit(session.get())).isEqualTo(15_000);
        });
    assertThat(limit(session.get())).as("the session is back in the pool").isEqualTo(1234);
  }

  private interface SqlStep {
    void run() throws Exception;
  }

  @Test
  void theLimitEndsWithAnOutcomeThatWasStored() throws Exception {
    try (RelayStore relay = store.relay(Duration.ofSeconds(30))) {
      RelayIdentity me = relay.join("a", Map.of("h", Set.of("t")));
      inTransaction(() -> assertThat(settle(me)).isEqualTo(MessageStore.Settled.GONE));
    }
  }

  @Test
  void theLimitEndsWithAnOutcomeOfAnExpelledRelay() throws Exception {
    RelayIdentity gone = new RelayIdentity("gone", 1);
    inTransaction(() -> assertThat(settle(gone)).isEqualTo(MessageStore.Settled.EXPELLED));
  }

  @Test
  void theLimitEndsWithAnOutcomeThatFailed() throws Exception {
    try (RelayStore relay = store.relay(Duration.ofSeconds(30));
        Statement statement = keepAlive.createStatement()) {
      RelayIdentity me = relay.join("a", Map.of("h", Set.of("t")));
      statement.execute("DROP TABLE outbox_message CASCADE");
      inTransaction(() -> assertThatThrownBy(() -> settle(me)).isInstanceOf(StoreException.class));
    }
  }
}
