/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction that holds the fence ends before the lease does: no statement in it replaces the
 * limit by a longer one (issue 17, "Must hold" 6).
 */
class FencedLimitDbTest extends OneDatabase {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final String HALF_OF_LEASE = "10s";

  /** Notes, with each statement that changes rows, its time limit and whether the fence is held. */
  @BeforeEach
  void noteLimits() {
    database.execute("CREATE TABLE noted (what text, time_limit text, fenced boolean)");
    database.execute(
        """
        CREATE FUNCTION note_limit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO noted
          SELECT TG_OP || ' ' || TG_TABLE_NAME, current_setting('statement_timeout'),
                 EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid()
                            AND relation = 'outbox_instance'::regclass AND mode = 'RowShareLock');
          RETURN NULL;
        END $$
        """);
    for (String table :
        new String[] {"outbox_message", "outbox_deferred", "outbox_deferred_floor"}) {
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
                "SELECT what, string_agg(DISTINCT time_limit, ' ') FROM noted WHERE fenced GROUP BY what")) {
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
            entry("UPDATE outbox_deferred_floor", HALF_OF_LEASE + " 250ms"));
  }
}
