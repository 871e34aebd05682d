/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.PostgresDialect;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Heartbeats and expulsions that meet, in chosen orders. */
@Timeout(120)
class ExpulsionDbTest extends OneDatabase {
  private static final RelayIdentity BYSTANDER = new RelayIdentity("bystander", 0);

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Await await = new Await(() -> database.rows().toString());
  private RelayStore relay;
  private RelayIdentity me;

  @BeforeEach
  void join() {
    relay = store.relay(SteppedRelay.LEASE);
    me = relay.join("a", Map.of());
  }

  @AfterEach
  void leave() {
    thread.shutdownNow();
    relay.close();
  }

  private List<RelayIdentity> instances() {
    return database.rows().instances().stream().map(LiveInstance::identity).toList();
  }

  private void letTheLeaseEnd() {
    database.execute("UPDATE outbox_heartbeat SET good_until = now() - interval '1 second'");
  }

  private void awaitWaiting(String event) {
    await.until(
        "a session waits for " + event,
        () ->
            database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = '%s'"
                        .formatted(event))
                == 1);
  }

  private static <T> T of(Future<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  /** An expulsion that has looked at the heartbeats, and goes on when the gate is open. */
  private Callable<List<RelayIdentity>> gatedExpulsion() {
    database.execute(
        """
        CREATE FUNCTION gated_now() RETURNS timestamptz LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_lock_shared(4711);
          PERFORM pg_advisory_unlock_shared(4711);
          RETURN clock_timestamp();
        END $$
        """);
    PostgresDialect gated =
        new PostgresDialect() {
          @Override
          public String now() {
            return "gated_now()";
          }
        };
    return () -> {
      try (RelayStore other = database.builder().dialect(gated).build().relay(SteppedRelay.LEASE)) {
        return other.expelStale(BYSTANDER);
      }
    };
  }

  @Test
  void heartbeatThatCommitsBetweenTheLookAndTheLockSavesTheRelay() throws Exception {
    letTheLeaseEnd();
    Callable<List<RelayIdentity>> expulsion = gatedExpulsion();
    Future<List<RelayIdentity>> expelled;
    try (Connection gate = database.dataSource().getConnection();
        Statement statement = gate.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(4711)");
      expelled = thread.submit(expulsion);
      awaitWaiting("advisory");

      assertThat(relay.heartbeat(me, "")).isTrue();
      statement.execute("SELECT pg_advisory_unlock(4711)");
    }

    assertThat(of(expelled)).isEmpty();
    assertThat(relay.heartbeat(me, "")).isTrue();
    assertThat(instances()).containsExactly(me);
  }

  @Test
  void heartbeatThatIsNotCommittedYetSavesTheRelay() throws Exception {
    letTheLeaseEnd();
    transactions.run(
        connection -> {
          execute(connection, "UPDATE outbox_heartbeat SET good_until = now() + interval '1 hour'");
          assertThat(relay.expelStale(BYSTANDER)).isEmpty();
        });

    assertThat(relay.expelStale(BYSTANDER)).isEmpty();
  }

  @Test
  void heartbeatThatMeetsAnExpulsionUnderWayIsRefused() throws Exception {
    Future<Boolean> heartbeat =
        transactions.call(
            connection -> {
              execute(connection, "SELECT 1 FROM outbox_heartbeat FOR UPDATE");
              Future<Boolean> sent = thread.submit(() -> relay.heartbeat(me, ""));
              awaitWaiting("transactionid");
              execute(connection, "DELETE FROM outbox_instance");
              execute(connection, "DELETE FROM outbox_heartbeat");
              return sent;
            });

    assertThat(of(heartbeat)).isFalse();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void relayWhoseInstanceRowWasDeletedByAnotherSessionIsToldAtItsNextHeartbeat() {
    database.execute("DELETE FROM outbox_instance");

    assertThat(relay.heartbeat(me, "")).isFalse();
  }

  @Test
  void rowsThatLostTheirOtherHalfAreCleanedUp() {
    RelayIdentity beatless = relay.join("beatless", Map.of());
    RelayIdentity young = relay.join("young", Map.of());
    database.execute("DELETE FROM outbox_instance WHERE id = 'a'");
    database.execute("DELETE FROM outbox_heartbeat WHERE id = 'beatless'");
    letTheLeaseEnd();
    relay.heartbeat(young, "");

    assertThat(relay.expelStale(BYSTANDER)).containsExactly(beatless);

    assertThat(instances()).containsExactly(young);
    assertThat(database.number("SELECT count(*) FROM outbox_heartbeat")).isEqualTo(1);
  }

  @Test
  void relayKeepsItsPartitionsWhenTheDatabasesClockJumps() throws Exception { // D9 of issue 17
    relay.leave(me);
    SteppedRelay alone = relay("alone");
    alone.drain();

    database.execute("UPDATE test_clock SET shift_ms = shift_ms + 3600000");
    UUID id = publish("k");
    database.clock().advance(Duration.ofSeconds(1));
    alone.drain();

    assertThat(alone.log().expelled()).isEmpty();
    assertThat(database.rows().partitions()).extracting(PartitionOwner::epoch).containsOnly(1L);
    alone.log().assertDeliveredExactly(HANDLER, List.of(id));
  }
}
