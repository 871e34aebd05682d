/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many connections a relay keeps. Issue 18, "Must hold" 7; first-hour.md, 1 and 2. */
@Timeout(120)
class RelayConnectionsDbTest {
  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final ConcurrentLinkedQueue<UUID> delivered = new ConcurrentLinkedQueue<>();
  private final List<Posthorn> relays = new ArrayList<>();
  private final Await await = new Await(database::describe);

  @AfterEach
  void stop() {
    relays.forEach(Posthorn::close);
    database.close();
  }

  private Posthorn start(String name, HikariDataSource pool, JdbcMessageStore store) {
    Posthorn relay =
        Posthorn.inOneProcess(store, new JdbcTransactions(pool))
            .handler(
                "h", "t", String.class, (text, delivery) -> delivered.add(delivery.messageId()))
            .relay(r -> r.name(name))
            .start();
    relays.add(relay);
    return relay;
  }

  private Posthorn start(String name, HikariDataSource pool) {
    return start(name, pool, LiveDatabase.store(pool).build());
  }

  private static int active(HikariDataSource pool) {
    return pool.getHikariPoolMXBean().getActiveConnections();
  }

  private long owned(String relay) {
    return database.number(
        "SELECT count(*) FROM outbox_partition WHERE owner_id = '" + relay + "'");
  }

  private long sessions(String name) {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '"
            + name
            + "'");
  }

  @Test
  void threeSignalsIncluded() throws Exception {
    HikariDataSource one = database.pool("one", 10);
    HikariDataSource two = database.pool("two", 10);
    JdbcTransactions transactions = new JdbcTransactions(one);
    start("a", one);
    start("b", two);
    await.until("both have their share", () -> owned("a") == 4 && owned("b") == 4);

    List<UUID> published = new ArrayList<>();
    Posthorn publisher =
        Posthorn.publishOnly(LiveDatabase.store(one).build(), transactions).start();
    for (int i = 0; i < 64; i++) {
      Message message = Message.of("t").key("k" + i).payload("text").build();
      published.add(transactions.call(connection -> publisher.outbox().publish(message)));
    }
    await.until("all are delivered", () -> delivered.containsAll(published));
    publisher.close();

    await.until("all else is given back", () -> active(one) == 3 && active(two) == 3);
  }

  @Test
  void aPoolThatTheRelayWouldUseUpIsRefused() {
    HikariDataSource small = database.pool("small", 3);

    assertThatThrownBy(() -> start("a", small))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(
            "the relay keeps 3 connections and the application needs at least one more, but the pool has 3");
    assertThat(active(small)).isZero();
  }

  @Test
  void theyCanComeFromElsewhereAndAreNamedThen() {
    HikariDataSource small = database.pool("small", 1);
    DataSource outside = database.pool("outside", 5);
    Posthorn relay = start("a", small, LiveDatabase.store(small).relayConnections(outside).build());

    assertThat(relay.relay().awaitIdle(Duration.ofSeconds(60))).isTrue();
    await.until("none is kept", () -> active(small) == 0);
    assertThat(sessions("posthorn-a")).isEqualTo(3);
    relay.close();
    assertThat(sessions("posthorn-a")).as("they go back as they came").isZero();
  }

  @Test
  void anExhaustedPoolIsCalledThat() throws Exception {
    HikariDataSource small = database.pool("small", 4, Duration.ofMillis(300));
    Posthorn relay = start("a", small);
    assertThat(relay.relay().awaitIdle(Duration.ofSeconds(60))).isTrue();

    try (Connection last = small.getConnection()) {
      assertThat(last.isClosed()).isFalse();
      assertThatThrownBy(() -> relay.admin().survey(1))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no free connection in the pool (size 4, Posthorn holds 3)");
    }
  }
}
