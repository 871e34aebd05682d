/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first row of a lane has a time, whatever becomes of those before it meanwhile. */
@Timeout(60)
class LaneWakeDbTest {
  private static final UUID ID = UUID.randomUUID();
  private static final String COLUMNS =
      "partition_no, seq, id, type, message_key, content_type, occurred_at, created_at";

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final JdbcMessageStore store = LiveDatabase.store(database.pool("relay", 5)).build();
  private final Await await = new Await(database::describe);
  private RelayStore relay;
  private RelayIdentity me;

  @BeforeEach
  void joinAndDefer() {
    store.open();
    relay = store.relay(Duration.ofSeconds(30));
    me = relay.join("a", Map.of("ledger", Set.of("t")));
    database.execute(
        "INSERT INTO outbox_message (%s) VALUES (0, 9, '%s', 't', 'k', 'text/plain', now(), now())"
            .formatted(COLUMNS, ID));
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) VALUES (0, 'ledger', 5)");
    database.execute(
        """
        INSERT INTO outbox_deferred (%s, handler, in_lane, reason, attempts, due_at, deferred_at)
        SELECT 0, seq, gen_random_uuid(), 't', 'k', 'text/plain', now(), now(), 'ledger', TRUE, 'HELD', 0, now(), now()
          FROM unnest('{5, 7}'::bigint[]) AS s(seq)
        """
            .formatted(COLUMNS));
  }

  @AfterEach
  void close() {
    relay.close();
    database.close();
  }

  /** The message behind the two others joins them. */
  private boolean settle() {
    Fate held = new Fate.Deferred(DeferReason.HELD, 0, null, null);
    Settlement.Ready row =
        new Settlement.Ready(
            0, 9, ID, "k", List.of(new Settlement.Leftover("ledger", held)), List.of());
    return relay.settle(me, new Settlement(List.of(row), List.of()));
  }

  private Connection transaction(String sql) throws SQLException {
    Connection connection = DriverManager.getConnection(database.url());
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
    return connection;
  }

  private void awaitWaiting(Connection holder) throws SQLException {
    int pid = holder.unwrap(org.postgresql.PGConnection.class).getBackendPID();
    await.until(
        "the settle waits",
        () ->
            database.holds(
                "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid)))"
                    .formatted(pid)));
  }

  @Test
  void severalThatGoOneAfterTheOtherLeaveTheNextOneDue() throws Exception { // issue 17
    String delete = "DELETE FROM outbox_deferred WHERE seq = ";
    try (Connection first = transaction(delete + 5);
        Connection second = transaction(delete + 7)) {
      CompletableFuture<Boolean> settled = CompletableFuture.supplyAsync(this::settle);
      awaitWaiting(first);
      first.commit();
      awaitWaiting(second);
      second.commit();
      assertThat(settled.get(30, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(database.list("SELECT seq FROM outbox_deferred WHERE due_at IS NOT NULL"))
        .containsExactly("9");
  }

  /** The relay gives up the first message while the handler is at work on the second. */
  @Test
  void aHandlerAndTheRelayThatSettleOneLaneDoNotDeadlock() throws Exception { // issue 19
    UUID id = UUID.fromString(database.list("SELECT id FROM outbox_deferred WHERE seq = 7").get(0));
    HikariDataSource pool = database.pool("handler", 2);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    JdbcMessageStore own = LiveDatabase.store(pool).build();
    own.open();
    Settlement done =
        new Settlement(
            List.of(), List.of(new Settlement.Deferred(0, 7, id, "k", "ledger", Fate.DELIVERED)));
    try (Connection settling = transaction("DELETE FROM outbox_deferred WHERE seq = 5");
        Statement wake = settling.createStatement()) {
      CompletableFuture<MessageStore.Settled> handler =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return transactions.call(
                      any -> own.settle(transactions.current(), me, done, Duration.ofSeconds(10)));
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitWaiting(settling);
      wake.execute("SELECT 1 FROM outbox_deferred WHERE seq = 7 FOR UPDATE");
      settling.commit();
      assertThat(handler.get(30, TimeUnit.SECONDS)).isEqualTo(MessageStore.Settled.DONE);
    }
    assertThat(database.list("SELECT seq FROM outbox_deferred")).isEmpty();
  }

  @Test
  void aHandlerThatReadsRepeatablyLeavesTheNextOneToTheRelay() throws Exception { // issue 17
    database.execute("DELETE FROM outbox_deferred WHERE seq = 7");
    String id = database.list("SELECT id FROM outbox_deferred WHERE seq = 5").get(0);
    HikariDataSource pool = database.pool("handler", 2);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    JdbcMessageStore own = LiveDatabase.store(pool).build();
    own.open();
    Settlement done =
        new Settlement(
            List.of(),
            List.of(
                new Settlement.Deferred(0, 5, UUID.fromString(id), "k", "ledger", Fate.DELIVERED)));
    transactions.run(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.execute("SELECT count(*) FROM outbox_heartbeat");
          }
          assertThat(settle()).isTrue();
          assertThat(own.settle(transactions.current(), me, done, Duration.ofSeconds(10)))
              .isEqualTo(MessageStore.Settled.DONE);
          assertThat(own.settle(transactions.current(), me, done, Duration.ofSeconds(10)))
              .as("done with already")
              .isEqualTo(MessageStore.Settled.GONE);
        });
    assertThat(
            database.list(
                "SELECT seq || ' ' || reason FROM outbox_deferred WHERE due_at IS NOT NULL"))
        .as("the relay deletes it, without a delivery")
        .containsExactly("5 SETTLED");
    assertThat(relay.settle(me, done)).isTrue();

    assertThat(database.list("SELECT seq FROM outbox_deferred WHERE due_at IS NOT NULL"))
        .containsExactly("9");
  }
}
