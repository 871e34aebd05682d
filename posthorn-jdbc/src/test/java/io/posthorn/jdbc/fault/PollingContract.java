/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two processes on a database without signals: one publishes, the relay of the other one finds the
 * messages by polling, seldom while it is idle and often when something has come.
 */
@Timeout(300)
abstract class PollingContract {
  /** It polls as seldom as it ever does, and has swept its new partitions. */
  private static final Duration SETTLING_IN = Duration.ofSeconds(15);

  private static final Duration IDLE = Duration.ofSeconds(20);

  /**
   * For each second: 2 polls, 2 looks for deferred rows, a survey; purges, heartbeats, sweeps and
   * the pools come to another one or two.
   */
  private static final double MAX_IDLE_STATEMENTS = 9;

  private final ConcurrentHashMap<UUID, Instant> delivered = new ConcurrentHashMap<>();
  private final Await await = new Await(() -> delivered.size() + " delivered");
  private HikariDataSource pool;
  private Posthorn relay;
  private SecondJvm publisher;

  /** Where an empty database is. */
  abstract String freshDatabase();

  @BeforeEach
  void open() throws Exception {
    String url = freshDatabase();
    pool = LiveDatabase.pool(url, "relay", 8);
    relay =
        Posthorn.inOneProcess(
                LiveDatabase.store(pool).createTables(true).build(), new JdbcTransactions(pool))
            .handler(
                "shipping",
                "order",
                String.class,
                (payload, delivery) -> delivered.put(delivery.messageId(), Instant.now()))
            .start();
    publisher = SecondJvm.start(PublisherProcess.class, url);
    await.until("it has its partitions", () -> relay.relay().status().epochs().size() == 64);
    for (int i = 0; i < 20; i++) { // both have run for a while
      publishAndAwait("before-" + i);
    }
  }

  @AfterEach
  void close() {
    publisher.close();
    relay.close();
    pool.close();
  }

  private void pause(Duration time) {
    await.stays("publisher and relay run", time, publisher::alive);
  }

  private Duration publishAndAwait(String key) {
    PublisherProcess.Published published = PublisherProcess.Published.parse(publisher.ask(key));
    await.until("delivered", () -> delivered.containsKey(published.id()));
    return Duration.between(published.committed(), delivered.get(published.id()));
  }

  private String title() {
    return getClass().getSimpleName();
  }

  @Test
  void anIdleRelayAsksSeldom() throws Exception {
    assertThat(relay.relay().awaitIdle(Duration.ofSeconds(30))).isTrue();
    pause(SETTLING_IN);

    long before = statements();
    pause(IDLE);
    double perSecond = (statements() - before) / (double) IDLE.toSeconds();

    System.out.printf("%s: an idle relay: %.1f statements/s%n", title(), perSecond);
    assertThat(perSecond).isLessThan(MAX_IDLE_STATEMENTS);
  }

  @Test
  void messagesOfAnotherProcessComeTheSoonerTheMoreThereAre() throws Exception {
    long before = statements();
    long begun = System.nanoTime();
    Duration seldom = median(25, Duration.ofMillis(1_000), Duration.ofMillis(1_300));
    double perSecond = (statements() - before) * 1e9 / (System.nanoTime() - begun);
    Duration often = median(100, Duration.ofMillis(5), Duration.ofMillis(35));

    System.out.printf(
        "%s: added p50: %d ms with a message each second or so (%.1f statements/s), %d ms with up to 50 a second%n",
        title(), seldom.toMillis(), perSecond, often.toMillis());
    assertThat(seldom).isLessThan(Duration.ofMillis(250));
    assertThat(often).isLessThan(seldom);
  }

  /** From the end of the commit in one process to the handler in the other one. */
  private Duration median(int messages, Duration shortest, Duration longest) {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      pause(
          Duration.ofMillis(
              ThreadLocalRandom.current().nextLong(shortest.toMillis(), longest.toMillis())));
      took.add(publishAndAwait("k" + longest.toMillis() + "-" + i));
    }
    Collections.sort(took);
    return took.get(messages / 2);
  }

  private long statements() throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }
}
