/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Only where a handler has deferred rows do reads of ready rows ask for those of each key. */
class LaneHeadsDbTest {
  private static final int MESSAGES = 2_000;

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Await await = new Await(database::describe);
  private final AtomicInteger mailed = new AtomicInteger();

  /** Each partition has had a deferred row; one has it still. */
  @BeforeEach
  void defer() {
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, 'mailer', 0 FROM outbox_partition");
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, message_key, content_type, payload, occurred_at, created_at,
                                     in_lane, reason, attempts, due_at, deferred_at)
        VALUES (0, nextval('outbox_seq'), 'mailer', gen_random_uuid(), 'order', 'waits', 'application/json', decode('7b7d', 'hex'),
                now(), now(), TRUE, 'RETRYING', 1, now() + interval '1 hour', now())
        """);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void insert(int partition, String key, int count) {
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
        SELECT %d, gen_random_uuid(), 'order', '%s', 'application/json', decode('7b7d', 'hex'), now(), now()
          FROM generate_series(1, %d) AS i
        """
            .formatted(partition, key, count));
  }

  private void deliverAll() {
    HikariDataSource pool = database.pool("delivering", 10);
    try (Posthorn posthorn =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
            .handler(
                "mailer", "order", byte[].class, (payload, delivery) -> mailed.incrementAndGet())
            .start()) {
      await.untilReached("delivered", MESSAGES, mailed::get);
      await.until("settled", () -> posthorn.relay().status().inMemory() == 0);
    }
    pool.close();
    await.until(
        "its sessions have ended",
        () ->
            database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'delivering'")
                == 0);
  }

  /** By the index that lanes are found by. */
  private long probes() {
    return database.number(
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_deferred_lane_ix'");
  }

  private long lookupsOfFloors() {
    return database.number(
        "SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'outbox_deferred_floor'");
  }

  @Test
  void messagesOfOtherPartitionsAreReadWithoutAProbe() { // issue 17, point 2
    insert(1, "goes", MESSAGES);
    deliverAll();
    assertThat(probes()).isLessThan(MESSAGES / 4);
  }

  @Test
  void floorsAreLookedUpOnceForEachReadAndPartition() {
    insert(0, "goes", MESSAGES);
    deliverAll();
    assertThat(probes()).as("one for each row").isGreaterThanOrEqualTo(MESSAGES);
    assertThat(lookupsOfFloors()).isLessThan(MESSAGES / 4);
  }

  @Test
  void messagesBehindADeferredOneJoinIt() {
    insert(0, "goes", MESSAGES);
    insert(0, "waits", 1);
    deliverAll();
    assertThat(database.number("SELECT count(*) FROM outbox_deferred WHERE message_key = 'waits'"))
        .isEqualTo(2);
    assertThat(mailed).hasValue(MESSAGES);
  }
}
