/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fault.Await;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Counts the index entries that a relay's statements meet. An old snapshot keeps the server from
 * removing any of them, so that only the relay itself can spare them.
 */
abstract class MeteredRelayDbTest extends OneDatabase {
  private static final int ROUNDS = 100;
  private static final int MESSAGES_PER_ROUND = 20;
  static final int MESSAGES = ROUNDS * MESSAGES_PER_ROUND;
  private static final Duration ROUND = Duration.ofMillis(20);
  private static final String RELAY = "relay_of_a_test";

  private final Await await = new Await(() -> database.rows().toString());
  private OpenTransaction snapshot;

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

  /** Publishes messages, in some rounds, and delivers them by a relay of its own. */
  double entriesPerMessage(Consumer<Posthorn.Builder> settings) throws Exception {
    long before = entriesRead();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.addDataSourceProperty("ApplicationName", RELAY);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      run(pool, settings);
    }
    // A session that has ended has counted everything.
    await.until("the relay's sessions have ended", () -> sessions() == 0);
    return (double) (entriesRead() - before) / MESSAGES;
  }

  private void run(HikariDataSource pool, Consumer<Posthorn.Builder> settings) throws Exception {
    try (SteppedRelay relay =
        SteppedRelay.withoutLog(
            "a",
            JdbcMessageStore.builder(pool).dialect(database.dialect()).build(),
            new JdbcTransactions(pool),
            database.clock(),
            settings)) {
      relay.drain();
      for (int round = 0; round < ROUNDS; round++) {
        publishRound();
        relay.drain();
        database.clock().advance(ROUND);
        relay.drain();
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
        "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relid IN ('outbox_message'::regclass, 'outbox_deferred'::regclass)");
  }

  private long sessions() {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + RELAY + "'");
  }
}
