/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The sequence is set back under relays that run step by step. */
class SequenceRaiseDbTest extends OneDatabase {
  private static final String RELAY_ROLE = "posthorn_relay_without_update";

  private void setSequence(long next) {
    database.number("SELECT setval('outbox_seq', " + next + ", false)");
  }

  private long lastValue() {
    return database.number("SELECT last_value FROM outbox_seq");
  }

  /** All that was published is delivered, and no mark waits to be passed. */
  private void bringToRest(SteppedRelay relay) throws Exception {
    relay.drain();
    List<UUID> before = publishEverywhere(2);
    database.clock().advance(Duration.ofMillis(10));
    relay.steps().step("read");
    relay.steps().step("read"); // at the same moment: it passes the mark of the first
    relay.drain();
    before.forEach(message -> relay.log().assertDelivered(HANDLER, message));
  }

  /** Some for each partition, and more. */
  private List<UUID> publishEverywhere(int times) throws Exception {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 300 * times; i++) {
      ids.add(publish("key-" + i % 300));
    }
    return ids;
  }

  @Test
  void aQuietRelayNoticesThatTheSequenceWasSetBack() throws Exception {
    SteppedRelay relay = relay("a");
    bringToRest(relay);
    setSequence(1);
    List<UUID> fresh = publish("k", 20);
    relay.drain();
    fresh.forEach(message -> relay.log().assertDelivered(HANDLER, message));
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aQuietRelayDrawsNoTransactionNumbers() throws Exception {
    SteppedRelay relay = relay("a");
    bringToRest(relay);
    database.clock().advance(Duration.ofMillis(50));
    relay.steps().step("read");
    String next = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
    List<Long> drawn = new ArrayList<>();
    for (int i = 0; i < 3; i++) { // others may use the server
      long before = database.number(next);
      for (int poll = 0; poll < 10; poll++) {
        database.clock().advance(Duration.ofMillis(1)); // a transaction, too
        relay.steps().step("read");
      }
      drawn.add(database.number(next) - before);
    }
    assertThat(drawn).as("10 are the clock's").anySatisfy(n -> assertThat(n).isLessThan(15));
  }

  @Test
  void theSequenceIsRaisedAboveAllThatIsStored() throws Exception {
    SteppedRelay relay = relay("a");
    bringToRest(relay);
    insertInto("outbox_dead", 7_000, "attempts, error, died_at", "1, 'x', now()");
    insertInto(
        "outbox_deferred",
        9_000,
        "in_lane, reason, attempts, due_at, deferred_at",
        "false, 'RETRYING', 1, now() + interval '1 day', now()");
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) VALUES (5, 'mailer', 0) ON CONFLICT DO NOTHING");
    insertInto("outbox_history", 8_000, "delivered_at", "now()");
    setSequence(1);
    List<UUID> fresh = publish("k", 20);
    relay.drain();
    assertThat(lastValue()).isGreaterThan(9_000);
    fresh.addAll(publish("k", 20));
    long raised = lastValue();
    relay.drain();
    fresh.forEach(message -> relay.log().assertDelivered(HANDLER, message));
    assertThat(lastValue()).as("once is enough").isEqualTo(raised);
  }

  private void insertInto(String table, long seq, String columns, String values) {
    database.execute(
        """
        INSERT INTO %s (partition_no, seq, handler, id, type, content_type, occurred_at, created_at, %s)
        VALUES (5, %d, 'mailer', gen_random_uuid(), 'order-placed', 'text/plain', now(), now(), %s)
        """
            .formatted(table, columns, seq, values));
  }

  /** What was published between the set-back and the raise may be another relay's. */
  @Test
  void allRelaysReadAnewThoughOnlyOneOfThemHasRaisedTheSequence() throws Exception {
    SteppedRelay one = relay("a");
    SteppedRelay other = relay("b");
    for (int i = 0; i < 10; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      one.drain();
      other.drain();
    }
    publishEverywhere(2);
    for (int i = 0; i < 5; i++) {
      database.clock().advance(Duration.ofMillis(10));
      one.drain();
      other.drain();
    }
    StoreAssert.assertThat(database.rows()).hasNoMessages();
    insertInto("outbox_dead", 7_000, "attempts, error, died_at", "1, 'x', now()");
    setSequence(1);
    List<UUID> fresh = publishEverywhere(1);
    one.drain();
    assertThat(lastValue()).isGreaterThan(7_000);
    for (int i = 0; i < 3; i++) { // less than a sweep of all needs
      database.clock().advance(Duration.ofSeconds(1));
      other.drain();
      one.drain();
    }
    assertThat(database.rows().ready()).isEmpty();
    assertThat(one.log().delivered().size() + other.log().delivered().size())
        .isGreaterThanOrEqualTo(600 + fresh.size());
  }

  @Test
  void aRelayThatMayNotSetTheSequenceSaysWhatIsToBeDone() throws Exception {
    database.execute("CREATE ROLE " + RELAY_ROLE);
    HikariDataSource pool = new HikariDataSource();
    RelayLog log = RelayLog.open();
    try (pool) {
      database.execute(
          """
          DO $$ BEGIN
            EXECUTE format('GRANT USAGE ON SCHEMA %%I TO %1$s', current_schema());
            EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %%I TO %1$s', current_schema());
            EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %%I TO %1$s', current_schema());
          END $$
          """
              .formatted(RELAY_ROLE));
      pool.setJdbcUrl(database.url() + "&options=-c%20role=" + RELAY_ROLE);
      SteppedRelay relay =
          relay(
              "a",
              database.builder().relayDataSource(pool).build(),
              builder -> builder.handler(HANDLER, TYPE, String.class, (text, delivery) -> {}));
      bringToRest(relay);
      insertInto("outbox_dead", 7_000, "attempts, error, died_at", "1, 'x', now()");
      setSequence(1);
      List<UUID> fresh = publish("k", 20);
      relay.drain();
      fresh.forEach(message -> relay.log().assertDelivered(HANDLER, message));
      assertThat(log.with("SELECT setval('outbox_seq', ")).hasSize(1);
      relay.close();
    } finally {
      log.close();
      database.execute("DROP OWNED BY " + RELAY_ROLE);
      database.execute("DROP ROLE " + RELAY_ROLE);
    }
  }

  /** The reader finds out while the lease's thread is storing floors. */
  @Test
  void floorsFromBeforeAreNotLeftToTheNextOwner() throws Exception {
    FaultyStore faulty = new FaultyStore(store);
    SteppedRelay relay =
        relay(
            "a",
            faulty,
            builder -> builder.handler(HANDLER, TYPE, String.class, (text, delivery) -> {}));
    setSequence(20_000); // so far from the stored floors that a heartbeat stores others
    bringToRest(relay);
    List<UUID> fresh = new ArrayList<>();
    faulty.before(
        FaultyStore.Step.STORE_FLOORS,
        () -> {
          setSequence(1);
          try {
            fresh.addAll(publishEverywhere(1));
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          relay.steps().step("read");
        });
    database.clock().advance(Duration.ofSeconds(11)); // a heartbeat is due
    relay.drain();
    assertThat(fresh).isNotEmpty();
    fresh.forEach(message -> relay.log().assertDelivered(HANDLER, message));
    assertThat(database.rows().partitions()).extracting(PartitionOwner::owner).doesNotContainNull();
  }
}
