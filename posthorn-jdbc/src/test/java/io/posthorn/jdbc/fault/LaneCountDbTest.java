/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.RelayStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lanes are counted for those who watch, by the thread that reads: it must not take long. */
class LaneCountDbTest {
  private static final int WITHOUT_KEY = 20_000;
  private static final int LIMIT = 100;

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Await await = new Await(database::describe);

  @BeforeEach
  void defer() {
    database.execute("ANALYZE outbox_deferred"); // empty, as it mostly is
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) VALUES (0, 'mailer', 1)");
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, message_key, content_type, occurred_at, created_at,
                                     in_lane, reason, attempts, due_at, deferred_at)
        SELECT 0, i, 'mailer', gen_random_uuid(), 't', CASE WHEN i <= 3 THEN 'k' || i END, 'text/plain', now(), now(),
               i <= 3, 'RETRYING', 1, now() + i * INTERVAL '1 millisecond', now()
          FROM generate_series(1, %d) AS i
        """
            .formatted(WITHOUT_KEY));
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void anyNumberOfRowsWithoutAKeyIsNotWalkedOver() { // issue 17, M6
    HikariDataSource pool = database.pool("counting", 4);
    JdbcMessageStore store = LiveDatabase.store(pool).build();
    store.open();
    try (RelayStore relay = store.relay(Duration.ofSeconds(30))) {
      assertThat(relay.countLanes(List.of(0), List.of("mailer"), LIMIT)).containsEntry("mailer", 3);
    }
    pool.close();
    await.until(
        "its sessions have ended",
        () ->
            database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counting'")
                == 0);

    assertThat(
            database.number(
                "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'outbox_deferred'"))
        .isBetween((long) LIMIT, 2L * LIMIT);
  }
}
