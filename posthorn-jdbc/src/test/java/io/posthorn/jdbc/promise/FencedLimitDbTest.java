/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction that holds the fence ends before the lease does: no statement in it replaces the
 * limit by a longer one (issue 17, "Must hold" 6).
 */
class FencedLimitDbTest extends OneDatabase {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final String HALF_OF_LEASE = "idle 10s, lock 10s, statement 10s";
  private static final String OF_MANY_FLOORS = "idle 250ms, lock 250ms, statement 250ms";

  /**
   * Notes, with each statement that changes rows, its time limits and whether the fence is held. A
   * row of outbox_instance is the fence itself.
   */
  @BeforeEach
  void noteLimits() {
    database.execute("CREATE TABLE noted (what text, limits text, fenced boolean)");
    database.execute(
        """
        CREATE FUNCTION note_limit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO noted
          SELECT TG_OP || ' ' || TG_TABLE_NAME,
                 format('idle %s, lock %s, statement %s', current_setting('idle_in_transaction_session_timeout'),
                        current_setting('lock_timeout'), current_setting('statement_timeout')),
                 TG_TABLE_NAME = 'outbox_instance' OR EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid()
                            AND relation = 'outbox_instance'::regclass AND mode = 'RowShareLock');
          RETURN NULL;
        END $$
        """);
    for (String table :
        List.of(
            "outbox_message",
            "outbox_deferred",
            "outbox_deferred_floor",
            "outbox_partition",
            "outbox_instance")) {
      database.execute(
          "CREATE TRIGGER note_limit AFTER UPDATE OR DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION note_limit()"
              .formatted(table));
    }
  }

  /** Which limits statements under the fence had, by what they did. */
  private Map<String, String> limits() throws Exception {
    Map<String, String> limits = new TreeMap<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT what, string_agg(DISTINCT limits, '; ') FROM noted WHERE fenced GROUP BY what")) {
      while (rows.next()) {
        limits.put(rows.getString(1), rows.getString(2));
      }
    }
    return limits;
  }

  private SteppedRelay mailer(String name, Duration retention, String... types) {
    return relay(
        name,
        builder -> {
          HandlerSpec<String> spec =
              HandlerSpec.of(
                  HANDLER, TYPE, String.class, (text, delivery) -> failAtFirst(delivery.attempt()));
          for (String type : types) {
            spec = spec.alsoType(type);
          }
          builder
              .relay(
                  relay ->
                      relay
                          .leaseDuration(LEASE)
                          .retention(retention)
                          .retry(RetryPolicy.fixed(Duration.ofMillis(1), 5)))
              .handler(spec);
        });
  }

  private static void failAtFirst(int attempt) {
    if (attempt == 1) {
      throw new IllegalStateException("not yet");
    }
  }

  private void together(int seconds, SteppedRelay... relays) {
    for (int i = 0; i < seconds; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void statementsUnderTheFenceKeepTheLimitOfTheirTransaction(int retentionDays) throws Exception {
    Duration retention = Duration.ofDays(retentionDays);
    SteppedRelay old = mailer("old", retention);
    for (int i = 0; i < 20; i++) {
      publish("key-" + i);
      Message unknown = Message.of("added").key("key-" + i).payload("{}").build();
      transactions.call(connection -> publisher.outbox().publish(unknown));
    }
    together(3, old);
    old.close();
    SteppedRelay fresh = mailer("fresh", retention, "added"); // rows of the type become due
    together(20, fresh);

    assertThat(fresh.log().delivered()).isNotEmpty();
    assertThat(limits())
        .containsOnly(
            entry("DELETE outbox_message", HALF_OF_LEASE),
            entry("DELETE outbox_deferred", HALF_OF_LEASE),
            entry("UPDATE outbox_deferred", HALF_OF_LEASE),
            // A settle lowers a floor; the owner raises those of several partitions.
            entry("UPDATE outbox_deferred_floor", HALF_OF_LEASE + "; " + OF_MANY_FLOORS),
            entry("UPDATE outbox_partition", HALF_OF_LEASE),
            entry("DELETE outbox_instance", HALF_OF_LEASE));
  }

  /** What was done under the fence, and with which limits. */
  private Map<String, String> limitsOf(Runnable step) throws Exception {
    database.execute("DELETE FROM noted");
    step.run();
    return limits();
  }

  @Test
  void statementsThatChangeOwnershipHaveTheLimit() throws Exception {
    Map<String, String> ofPartition = Map.of("UPDATE outbox_partition", HALF_OF_LEASE);
    Map<String, String> ofInstance = Map.of("DELETE outbox_instance", HALF_OF_LEASE);
    try (RelayStore relay = store.relay(LEASE)) {
      relay.join("silent", Map.of());
      database.clock().advance(LEASE.plusSeconds(1));
      RelayIdentity me = relay.join("a", Map.of());

      assertThat(limitsOf(() -> relay.expelStale(me))).isEqualTo(ofInstance);
      assertThat(limitsOf(() -> relay.take(me, List.of(new PartitionOwner(0, null, 0)))))
          .isEqualTo(ofPartition);
      assertThat(limitsOf(() -> relay.calm(me, List.of(0)))).isEqualTo(ofPartition);
      assertThat(limitsOf(() -> relay.storeFloors(me, Map.of(0, 7L)))).isEqualTo(ofPartition);
      assertThat(limitsOf(() -> relay.release(me, List.of(0)))).isEqualTo(ofPartition);
      assertThat(limitsOf(() -> relay.leave(me))).isEqualTo(ofInstance);
    }
  }

  @Test
  void aHandlersTransactionHasTheLimitFromTheSettlingToItsCommit() throws Exception {
    database.execute("CREATE TABLE effect (message_id uuid NOT NULL)");
    database.execute(
        "CREATE CONSTRAINT TRIGGER note_limit AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_limit()");
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(r -> r.leaseDuration(LEASE))
                    .handler(
                        HandlerSpec.of(
                                HANDLER, TYPE, String.class, (text, delivery) -> effect(delivery))
                            .transactional()));
    relay.steps().step("lease");
    relay.steps().step("read"); // a new owner raises floors
    publish("k");
    database.execute("DELETE FROM noted");

    relay.steps().step("read"); // delivered; no settle of the relay has run

    assertThat(limits())
        .containsOnly(
            entry("DELETE outbox_message", HALF_OF_LEASE),
            entry("INSERT effect", HALF_OF_LEASE)); // noted by the commit
  }

  private void effect(Delivery delivery) throws Exception {
    Connection connection = transactions.current().unwrap(Connection.class);
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
      insert.setObject(1, delivery.messageId());
      insert.executeUpdate();
    }
  }
}
