/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A standby takes over that lacks commits whose messages a relay has in memory, and publishers have
 * drawn their seqs again, and more, before the relay notices.
 */
@Timeout(120)
class LostCommitsDbTest {
  /** A server draws up to 32 seqs ahead, and does not draw those again when it has crashed. */
  private static final int PUBLISHED = 200;

  private final PostgresServer primary = PostgresServer.newest();
  private final List<String> deliveries = new ArrayList<>(); // guarded by itself
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final Await await = new Await(this::received);
  private final List<AutoCloseable> opened = new ArrayList<>();
  private PostgresServer standby;
  private LiveDatabase database;

  @BeforeEach
  void start() {
    primary.start();
    database = LiveDatabase.on(primary);
    standby = PostgresServer.standbyOf(primary, primary.port());
    standby.start();
  }

  @AfterEach
  void stop() throws Exception {
    mayEnd.countDown();
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
    database.close();
    standby.close();
    primary.close();
  }

  private void take(String text, Delivery delivery) throws InterruptedException {
    if (text.equals("lost 0")) {
      began.countDown();
      assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
    }
    synchronized (deliveries) {
      deliveries.add(text);
    }
  }

  private String received() {
    synchronized (deliveries) {
      return deliveries.toString();
    }
  }

  private boolean wasReceived(String text) {
    synchronized (deliveries) {
      return deliveries.contains(text);
    }
  }

  private <T extends AutoCloseable> T keep(T one) {
    opened.add(one);
    return one;
  }

  private static void publish(HikariDataSource pool, String what, int count) throws Exception {
    publish(pool, i -> Message.of("order").key("k").payload(what + " " + i).build(), count);
  }

  private static void publish(HikariDataSource pool, IntFunction<Message> messages, int count)
      throws Exception {
    JdbcTransactions transactions = new JdbcTransactions(pool);
    try (Posthorn publisher =
        Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build()) {
      for (int i = 0; i < count; i++) {
        Message message = messages.apply(i);
        transactions.run(connection -> publisher.outbox().publish(message));
      }
    }
  }

  @Test
  void messagesWithSeqsOfLostOnesAreDeliveredInOrderAndAtOnce() throws Exception { // issue 19
    String bothUrls =
        database
            .url()
            .replace(
                "127.0.0.1:" + primary.port(),
                "127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port());
    HikariDataSource relayPool = keep(LiveDatabase.pool(bothUrls, "relay", 10));
    keep(
        Posthorn.inOneProcess(
                LiveDatabase.store(relayPool).build(), new JdbcTransactions(relayPool))
            .relay(options -> options.name("relay"))
            .handler("mailer", "order", String.class, this::take)
            .start());
    HikariDataSource before = keep(LiveDatabase.pool(database.url(), "before", 3));
    publish(before, "kept", 1);
    await.until("kept", () -> wasReceived("kept 0"));
    await.until(
        "the standby follows",
        () ->
            database.holds(
                "SELECT bool_and(replay_lsn = pg_current_wal_lsn()) FROM pg_stat_replication"));

    standby.promote();
    publish(before, "lost", PUBLISHED / 2);
    assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
    HikariDataSource after =
        keep(
            LiveDatabase.pool(
                database.url().replace(":" + primary.port(), ":" + standby.port()), "after", 3));
    publish(after, "new", PUBLISHED);
    publish(after, i -> Message.of("order").key("other " + i).payload("other").build(), 10);
    primary.kill();
    await.until("the relay reads on", () -> wasReceived("other"));
    mayEnd.countDown();

    await.until("the last one", () -> wasReceived("new " + (PUBLISHED - 1)));
    synchronized (deliveries) {
      assertThat(deliveries)
          .filteredOn(text -> text.startsWith("new"))
          .containsExactlyElementsOf(
              IntStream.range(0, PUBLISHED).mapToObj(i -> "new " + i).toList());
    }
  }
}
