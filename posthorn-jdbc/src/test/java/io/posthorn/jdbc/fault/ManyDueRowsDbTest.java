/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A handler is down and has 50,000 deferred rows without a key, all of them due. Reading what is
 * due does not walk over them each time (issue 17, M6).
 */
@Timeout(300)
class ManyDueRowsDbTest {
  private static final int WAITING = 50_000;
  private static final int MESSAGES = 2_000;
  private static final int MAX_ENTRIES_PER_MESSAGE = 20;

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Await await = new Await(database::describe);
  private final AtomicInteger ledger = new AtomicInteger();
  private final AtomicInteger mailer = new AtomicInteger();
  private volatile boolean down = true;

  /** A relay, and the sessions that count what it reads. */
  private final class Relay implements AutoCloseable {
    private final String name;
    private final HikariDataSource pool;
    private final Posthorn posthorn;

    Relay(String name) {
      this.name = name;
      pool = database.pool(name, 10);
      posthorn =
          Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
              .relay(
                  options ->
                      options
                          .name(name)
                          .leaseDuration(RelayProcess.LEASE)
                          .heartbeatInterval(RelayProcess.HEARTBEAT)
                          .probeInterval(Duration.ofMillis(200))
                          .retry(RetryPolicy.fixed(Duration.ofMillis(10), 3)))
              .handler("mailer", "order", byte[].class, (payload, delivery) -> mail())
              .handler(
                  HandlerSpec.of(
                          "ledger", "order", byte[].class, (bytes, delivery) -> enter(delivery))
                      .alsoType("entry"))
              .start();
    }

    /** What it has read is counted once its sessions have ended. */
    @Override
    public void close() {
      posthorn.close();
      pool.close();
      String sessions =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s'".formatted(name);
      await.until("its sessions have ended", () -> database.number(sessions) == 0);
    }
  }

  private void mail() {
    if (down) {
      throw new DestinationDownException("the destination is down", null);
    }
    mailer.incrementAndGet();
  }

  /** What is not an order fails at first, so that it is read when it is due. */
  private void enter(Delivery delivery) {
    if (delivery.type().equals("entry") && delivery.attempt() == 1) {
      throw new IllegalStateException("not at once");
    }
    ledger.incrementAndGet();
  }

  private void insert(String type, int count) {
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, content_type, payload, occurred_at, created_at)
        SELECT i %% 8, gen_random_uuid(), '%s', 'application/json', decode('7b7d', 'hex'), now(), now()
          FROM generate_series(1, %d) AS i
        """
            .formatted(type, count));
  }

  private long entriesRead() {
    return database.number(
        "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'outbox_deferred'");
  }

  @BeforeEach
  void deferManyForTheMailer() {
    insert("order", WAITING);
    try (Relay relay = new Relay("first")) {
      await.untilReached("met by the other handler", WAITING, ledger::get);
      await.until("settled", () -> relay.posthorn.relay().status().inMemory() < 5_000);
    }
    assertThat(database.number("SELECT count(*) FROM outbox_deferred")).isEqualTo(WAITING);
    database.execute("VACUUM ANALYZE outbox_deferred");
    ledger.set(0);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void whatIsDueForOthersIsReadWithoutWalkingOverThem() {
    long before = entriesRead();
    try (Relay relay = new Relay("second")) {
      await.until(
          "the circuit is open",
          () -> relay.posthorn.relay().status().handlers().get("mailer").circuitOpen());
      insert("entry", MESSAGES);
      await.untilReached("delivered", MESSAGES, ledger::get);
    }

    assertThat((entriesRead() - before) / MESSAGES)
        .as("index entries read for each message")
        .isLessThan(MAX_ENTRIES_PER_MESSAGE);
  }

  @Test
  void theyThemselvesAreReadOnceWhenTheDestinationIsBack() {
    long before = entriesRead();
    down = false;
    try (Relay relay = new Relay("second")) {
      await.untilReached("delivered", WAITING, mailer::get);
      await.until("settled", () -> relay.posthorn.relay().status().inMemory() == 0);
    }

    assertThat((entriesRead() - before) / WAITING)
        .as("index entries read for each message")
        .isLessThan(MAX_ENTRIES_PER_MESSAGE);
  }
}
