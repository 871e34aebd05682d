/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fault.Await;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.servers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A transaction that has written, but publishes nothing, changes nothing for the relay: its reads
 * do not walk over what was delivered since that transaction began.
 *
 * <p>That is counted by the index entries that reads of the ready rows meet. An old snapshot keeps
 * the server from removing any of them, in all cases, so that only the floor can spare them.
 */
class ForeignTransactionDbTest extends OneDatabase {
  private static final int ROUNDS = 100;
  private static final int MESSAGES_PER_ROUND = 20;
  private static final Duration ROUND = Duration.ofMillis(20);
  private static final String RELAY = "relay_of_a_test";
  private static final String ELSEWHERE = "CREATE TABLE foreign_work AS SELECT 1 AS n";

  private final Await await = new Await(() -> database.rows().toString());

  /** Who has written, and where. */
  enum Foreign {
    IN_THIS_DATABASE,
    IN_ANOTHER_DATABASE,
    PREPARED;

    OpenTransaction begin(String url) throws SQLException {
      return switch (this) {
        case IN_THIS_DATABASE -> OpenTransaction.at(url, ELSEWHERE);
        case IN_ANOTHER_DATABASE ->
            OpenTransaction.at(PostgresServer.shared().jdbcUrl(), ELSEWHERE);
        case PREPARED -> OpenTransaction.at(url, ELSEWHERE).prepare();
      };
    }
  }

  private OpenTransaction snapshot;
  private int handled;

  @BeforeEach
  void keepASnapshot() throws Exception {
    snapshot =
        OpenTransaction.in(
            database,
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM outbox_message");
  }

  @AfterEach
  void endTheSnapshot() throws Exception {
    snapshot.close();
  }

  @ParameterizedTest
  @EnumSource
  void readsStayAsShortAsBefore(Foreign foreign) throws Exception {
    double before = entriesReadPerMessage();
    double beside;
    try (OpenTransaction open = foreign.begin(database.url())) {
      beside = entriesReadPerMessage();
      open.rollback();
    }

    assertThat(beside).as("index entries met for each message").isLessThan(2 * before);
  }

  private double entriesReadPerMessage() throws Exception {
    handled = 0;
    long before = entriesRead();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.addDataSourceProperty("ApplicationName", RELAY);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      run(pool);
    }
    // A session that has ended has counted everything.
    await.until("the relay's sessions have ended", () -> sessions() == 0);
    assertThat(handled).isEqualTo(ROUNDS * MESSAGES_PER_ROUND);
    return (double) (entriesRead() - before) / handled;
  }

  private void run(HikariDataSource pool) throws Exception {
    try (SteppedRelay relay =
        SteppedRelay.withoutLog(
            "a",
            JdbcMessageStore.builder(pool).dialect(database.dialect()).build(),
            new JdbcTransactions(pool),
            database.clock(),
            builder ->
                builder.handler(HANDLER, TYPE, String.class, (text, delivery) -> handled++))) {
      relay.drain();
      for (int round = 0; round < ROUNDS; round++) {
        publishRound();
        relay.drain();
        database.clock().advance(ROUND);
      }
    }
  }

  private void publishRound() throws Exception {
    List<Message> messages =
        IntStream.range(0, MESSAGES_PER_ROUND).mapToObj(i -> message("key-" + i)).toList();
    transactions.run(connection -> publisher.outbox().publishAll(messages));
  }

  private long entriesRead() {
    return database.number(
        "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relid = 'outbox_message'::regclass");
  }

  private long sessions() {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + RELAY + "'");
  }
}
