/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Delayed messages on PostgreSQL. */
class DelayedMessageDbTest extends OneDatabase {
  private Posthorn delaying;

  @BeforeEach
  void openPublisher() {
    delaying =
        Posthorn.publishOnly(store, transactions)
            .clock(database.clock())
            .publish(p -> p.promotedElsewhere(true).bufferMessages(7))
            .build();
  }

  private static Message after(Duration delay, String key) {
    return Message.of(TYPE).key(key).payload("{}").deliverAfter(delay).build();
  }

  private static Message at(Instant time, String key) {
    return Message.of(TYPE).key(key).payload("{}").deliverAt(time).build();
  }

  private void loadDelayed(int count) {
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, message_key, content_type, payload,
               occurred_at, created_at, in_lane, reason, attempts, due_at, deferred_at)
        SELECT n %% 64, nextval('outbox_seq'), '*', gen_random_uuid(), 'order-placed', 'key-' || n, 'application/json', '{}',
               now(), now(), false, 'DELAYED', 0, now() + interval '1 day' + n * interval '1 second', now()
          FROM generate_series(1, %d) AS n
        """
            .formatted(count));
    database.execute("ANALYZE outbox_deferred");
  }

  /** Rows of the deferred table that were read. */
  private record Work(long byScan, long byIndex) {}

  /** What the server counted on the deferred table, once all its sessions have reported. */
  private Work workOnDeferred() throws SQLException {
    HikariDataSource pool = (HikariDataSource) database.dataSource();
    String url = pool.getJdbcUrl();
    pool.close(); // a session that ends reports what it has counted
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(30);
      statement.execute(
          """
          DO $$ BEGIN
            WHILE EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                             AND backend_type = 'client backend') LOOP
              PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
            END LOOP;
          END $$
          """);
      try (ResultSet row =
          statement.executeQuery(
              """
              SELECT seq_tup_read, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'outbox_deferred'
              """)) {
        row.next();
        return new Work(row.getLong(1), row.getLong(2));
      }
    }
  }

  /** However many wait: all that looks at their table finds its way by an index. */
  @Test
  void aHundredThousandDelayedMessagesCostReadyOnesNothing() throws Exception {
    loadDelayed(100_000);
    SteppedRelay relay = relay("a");
    relay.drain();
    List<UUID> ids = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 20; i++) {
        ids.add(publish("key-" + i));
      }
      relay.drain();
      database.clock().advance(Duration.ofSeconds(2));
    }
    relay.drain();
    assertThat(relay.log().delivered())
        .extracting(Delivery::messageId)
        .containsExactlyInAnyOrderElementsOf(ids);
    relay.close();

    Work work = workOnDeferred();

    assertThat(work.byScan()).as("rows that were read by scans of the whole table").isZero();
    assertThat(work.byIndex()).as("rows that were read by an index").isLessThan(1_000);
  }

  @Test
  void thousandsThatAreDueAtOnceArriveCompletelyAndInTheOrderOfTheirTimes() throws Exception {
    int many = 5_000;
    Random random = new Random(42);
    Instant soon = database.clock().instant().plusSeconds(60);
    Map<String, Map<Instant, UUID>> expected = new HashMap<>();
    transactions.run(
        connection -> {
          for (int i = 0; i < many; i++) {
            String key = "key-" + i % 40;
            Map<Instant, UUID> ofKey = expected.computeIfAbsent(key, any -> new TreeMap<>());
            Instant time = soon.plusMillis(random.nextInt(1_000));
            while (ofKey.containsKey(time)) {
              time = time.plusMillis(1);
            }
            ofKey.put(time, delaying.outbox().publish(at(time, key)));
          }
        });
    database.clock().advance(Duration.ofHours(1));

    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(r -> r.windowMessages(1_000))
                    .handler(HANDLER, TYPE, String.class, (text, delivery) -> {}));
    relay.drain();

    assertThat(relay.log().delivered()).hasSize(many);
    expected.forEach(
        (key, byTime) ->
            assertThat(relay.log().delivered())
                .filteredOn(delivery -> key.equals(delivery.key()))
                .extracting(Delivery::messageId)
                .as(key)
                .containsExactlyElementsOf(byTime.values()));
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aDelayedMessageStaysThroughARestartAndArrivesWhenItIsDue() throws Exception {
    UUID id =
        transactions.call(
            connection -> delaying.outbox().publish(after(Duration.ofSeconds(20), "k")));
    SteppedRelay first = relay("a");
    first.drain();
    first.close();
    SteppedRelay second = relay("b");
    second.drain();
    database.clock().advance(Duration.ofSeconds(19));
    second.drain();
    second.log().assertNothingDelivered();

    database.clock().advance(Duration.ofSeconds(2));
    second.drain();

    second.log().assertDeliveredExactly(HANDLER, List.of(id));
    first.log().assertNothingDelivered();
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aRollBackTakesDelayedMessagesBackAlsoToASavepointAndBeyondTheBuffer() throws Exception {
    List<UUID> kept = new ArrayList<>();
    try (Connection connection = transactions.begin()) {
      kept.add(delaying.outbox().publish(after(Duration.ofSeconds(2), "k")));
      Savepoint savepoint = connection.setSavepoint();
      for (int i = 0; i < 20; i++) { // more than the buffer takes
        delaying.outbox().publish(after(Duration.ofSeconds(1), "k"));
      }
      connection.rollback(savepoint);
      kept.add(delaying.outbox().publish(after(Duration.ofSeconds(3), "k")));
      connection.commit();
    }
    try (Connection connection = transactions.begin()) {
      delaying.outbox().publish(after(Duration.ofSeconds(1), "k"));
      connection.rollback();
    }
    database.clock().advance(Duration.ofMinutes(1));

    SteppedRelay relay = relay("a");
    relay.drain();

    relay.log().assertDeliveredExactly(HANDLER, kept);
  }

  @Test
  void aDelayedMessageThatExpiresBeforeItIsDueIsNotDeliveredAndCounted() throws Exception {
    Message expiring =
        after(Duration.ofSeconds(10), "k").toBuilder()
            .expiresAt(database.clock().instant().plusSeconds(5))
            .build();
    UUID id = transactions.call(connection -> delaying.outbox().publish(expiring));
    SteppedRelay relay = relay("a");
    relay.drain();
    database.clock().advance(Duration.ofSeconds(12));

    relay.drain();

    relay.log().assertNothingDelivered();
    assertThat(relay.log().expired())
        .extracting(message -> message.envelope().id())
        .containsExactly(id);
    assertThat(relay.posthorn().relay().status().counts().expired()).isEqualTo(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
