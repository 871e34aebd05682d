/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two processes on a database without signals: one publishes, the relay of the other one finds the
 * messages by polling, seldom while it is idle and often when something has come.
 */
abstract class PollingContract {
  private static final int MESSAGES = 15;
  private static final Duration IDLE = Duration.ofSeconds(4);
  private static final Duration LONGEST_GAP = Duration.ofMillis(400);

  private final ConcurrentHashMap<UUID, Long> delivered = new ConcurrentHashMap<>();
  private final Await await = new Await(() -> delivered.size() + " delivered");
  private HikariDataSource relayPool;
  private HikariDataSource publisherPool;
  private JdbcTransactions transactions;
  private Posthorn relay;
  private Posthorn publisher;

  /** Where an empty database is. */
  abstract String freshDatabase();

  @BeforeEach
  void open() {
    String url = freshDatabase();
    relayPool = pool(url);
    publisherPool = pool(url);
    transactions = new JdbcTransactions(publisherPool);
    relay =
        Posthorn.inOneProcess(
                JdbcMessageStore.builder(relayPool).createTables(true).build(),
                new JdbcTransactions(relayPool))
            .handler(
                "shipping",
                "order",
                String.class,
                (payload, delivery) -> delivered.put(delivery.messageId(), System.nanoTime()))
            .start();
    publisher = Posthorn.publishOnly(JdbcMessageStore.on(publisherPool), transactions).start();
    await.until("it has its partitions", () -> relay.relay().status().epochs().size() == 64);
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(8);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  @AfterEach
  void close() {
    publisher.close();
    relay.close();
    publisherPool.close();
    relayPool.close();
  }

  private void pause(Duration time) {
    await.stays("publisher and relay run", time, () -> relay.relay() != null);
  }

  private long statements() throws Exception {
    try (Connection connection = publisherPool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }

  @Test
  void anIdleRelayAsksSeldom() throws Exception {
    assertThat(relay.relay().awaitIdle(Duration.ofSeconds(30))).isTrue();
    pause(Duration.ofSeconds(2));

    long before = statements();
    pause(IDLE);
    double perSecond = (statements() - before) / (double) IDLE.toSeconds();

    System.out.printf("%s: an idle relay: %.1f statements/s%n", title(), perSecond);
    assertThat(perSecond).isLessThan(maxIdleStatements());
  }

  /** An upper bound, a second. */
  double maxIdleStatements() {
    return 20;
  }

  private String title() {
    return getClass().getSimpleName();
  }

  @Test
  void messagesOfAnotherProcessComeAtTheNextPollAndSoonerIfItWasBusy() throws Exception {
    Duration seldom = median(Duration.ofMillis(1_000), Duration.ofMillis(1_300));
    Duration often = median(Duration.ZERO, LONGEST_GAP.dividedBy(10));

    System.out.printf(
        "%s: added p50: %d ms with a message each second or so, %d ms with 50 a second%n",
        title(), seldom.toMillis(), often.toMillis());
    assertThat(seldom).isLessThan(Duration.ofSeconds(1));
    assertThat(often).isLessThan(seldom);
  }

  /** From the end of the commit to the handler. */
  private Duration median(Duration shortest, Duration longest) throws Exception {
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      pause(
          Duration.ofMillis(
              ThreadLocalRandom.current().nextLong(shortest.toMillis(), longest.toMillis())));
      String key = "k" + i;
      UUID id =
          transactions.call(
              connection ->
                  publisher.outbox().publish(Message.of("order").key(key).payload("x").build()));
      long committed = System.nanoTime();
      await.until("delivered", () -> delivered.containsKey(id));
      took.add(delivered.get(id) - committed);
    }
    Collections.sort(took);
    return Duration.ofNanos(took.get(MESSAGES / 2));
  }
}
