/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Admin.EntryId;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The first row of a lane has a time, whatever becomes of those before it meanwhile. */
@Timeout(60)
class LaneWakeDbTest {
  private static final UUID ID = UUID.randomUUID();
  private static final String COLUMNS =
      "partition_no, seq, id, type, message_key, content_type, occurred_at, created_at";
  private static final String LOCK = "SELECT 1 FROM outbox_deferred WHERE seq = %d FOR UPDATE";

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
    HikariDataSource pool = database.pool("handler", 2);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    JdbcMessageStore own = LiveDatabase.store(pool).build();
    own.open();
    Settlement done = new Settlement(List.of(), List.of(delivered(7, "k")));
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
      wake.execute(LOCK.formatted(7));
      settling.commit();
      assertThat(handler.get(30, TimeUnit.SECONDS)).isEqualTo(MessageStore.Settled.DONE);
    }
    assertThat(database.list("SELECT seq FROM outbox_deferred")).isEmpty();
  }

  /** What an operator may do to the second row of the lane while the relay settles the first. */
  private enum Move {
    CANCEL,
    UNBLOCK,
    DELETE_LETTER;

    void make(AdminStore admin) {
      switch (this) {
        case CANCEL -> admin.cancel(List.of(new EntryId(0, 7, "ledger")));
        case UNBLOCK -> admin.unblock(new LaneId(0, "ledger", "k"));
        case DELETE_LETTER -> admin.remove(List.of(new EntryId(0, 7, "ledger")), null);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Move.class)
  void anOperatorAndTheRelayThatSettlesTheLaneDoNotDeadlock(Move move)
      throws Exception { // issue 17
    if (move != Move.CANCEL) {
      database.execute("UPDATE outbox_deferred SET reason = 'BLOCKED' WHERE seq = 7");
      database.execute(
          "INSERT INTO outbox_dead (%1$s, handler, attempts, error, died_at) SELECT %1$s, handler, 1, '', now() FROM outbox_deferred WHERE seq = 7"
              .formatted(COLUMNS));
    }
    try (Connection settling = transaction("DELETE FROM outbox_deferred WHERE seq = 5");
        Statement wake = settling.createStatement()) {
      CompletableFuture<Void> moved = CompletableFuture.runAsync(() -> move.make(store.admin()));
      awaitWaiting(settling);
      wake.execute(LOCK.formatted(7));
      settling.commit();
      moved.get(30, TimeUnit.SECONDS);
    }
    assertThat(database.list("SELECT seq FROM outbox_deferred")).isEmpty();
  }

  @Test
  void anOperatorAndTheRelayThatSettlesSeveralLanesDoNotDeadlock() throws Exception { // issue 17
    database.execute("UPDATE outbox_deferred SET message_key = 'a' WHERE seq = 7");
    List<EntryId> both = List.of(new EntryId(0, 5, "ledger"), new EntryId(0, 7, "ledger"));
    try (Connection settling = transaction(LOCK.formatted(7));
        Statement nextLane = settling.createStatement()) {
      CompletableFuture<List<EntryId>> moved =
          CompletableFuture.supplyAsync(() -> store.admin().runNow(both));
      awaitWaiting(settling);
      nextLane.execute(LOCK.formatted(5));
      settling.commit();
      assertThat(moved.get(30, TimeUnit.SECONDS)).isEqualTo(both);
    }
  }

  /** In the relay's group the later row comes first. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRelayThatSettlesWhatAnOperatorChangesDoesNotDeadlock(boolean lanes)
      throws Exception { // issue 17
    database.execute(
        lanes
            ? "UPDATE outbox_deferred SET message_key = 'later' WHERE seq = 7"
            : "UPDATE outbox_deferred SET message_key = NULL, in_lane = FALSE");
    List<Settlement.Deferred> rows =
        List.of(delivered(7, lanes ? "later" : null), delivered(5, lanes ? "k" : null));
    try (Connection operator = transaction(LOCK.formatted(5));
        Statement next = operator.createStatement()) {
      CompletableFuture<Boolean> settled =
          CompletableFuture.supplyAsync(() -> relay.settle(me, new Settlement(List.of(), rows)));
      awaitWaiting(operator);
      next.execute(LOCK.formatted(7));
      operator.commit();
      assertThat(settled.get(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(database.list("SELECT seq FROM outbox_deferred")).isEmpty();
  }

  private Settlement.Deferred delivered(long seq, @Nullable String key) {
    String id = database.list("SELECT id FROM outbox_deferred WHERE seq = " + seq).get(0);
    return new Settlement.Deferred(0, seq, UUID.fromString(id), key, "ledger", Fate.DELIVERED);
  }

  @Test
  void aHandlerThatReadsRepeatablyLeavesTheNextOneToTheRelay() throws Exception { // issue 17
    database.execute("DELETE FROM outbox_deferred WHERE seq = 7");
    HikariDataSource pool = database.pool("handler", 2);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    JdbcMessageStore own = LiveDatabase.store(pool).build();
    own.open();
    Settlement done = new Settlement(List.of(), List.of(delivered(5, "k")));
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

  /** The commit's answer was lost, or a callback after the commit threw. */
  @Test
  void whatAHandlerHasCommittedIsNotTakenForFailedByTheRelay() throws Exception {
    HikariDataSource pool = database.pool("handler", 2);
    JdbcTransactions transactions = new JdbcTransactions(pool);
    JdbcMessageStore own = LiveDatabase.store(pool).build();
    own.open();
    for (long seq : List.of(5L, 7L)) {
      transactions.run(
          connection -> {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Settlement done = new Settlement(List.of(), List.of(delivered(seq, "k")));
            own.settle(transactions.current(), me, done, Duration.ofSeconds(10));
          });
    }
    Fate retried = new Fate.Deferred(DeferReason.RETRYING, 1, Duration.ofMinutes(1), "no answer");
    Fate dead = new Fate.Dead(1, "no answer", true);

    assertThat(relay.settle(me, deferred(5, retried))).isTrue();
    assertThat(relay.settle(me, deferred(7, dead))).isTrue();

    assertThat(database.list("SELECT seq || ' ' || reason FROM outbox_deferred ORDER BY seq"))
        .containsExactly("5 SETTLED", "7 SETTLED");
    assertThat(database.list("SELECT seq FROM outbox_dead")).isEmpty();
  }

  private Settlement deferred(long seq, Fate fate) {
    Settlement.Deferred row = delivered(seq, "k");
    return new Settlement(
        List.of(),
        List.of(new Settlement.Deferred(0, seq, row.id(), row.key(), row.handler(), fate)));
  }
}
