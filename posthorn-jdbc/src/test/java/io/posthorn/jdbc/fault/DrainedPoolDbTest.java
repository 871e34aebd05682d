/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Handler;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.test.DeliveryLog;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that take every connection of the pool which their relay uses too. */
@Timeout(120)
class DrainedPoolDbTest {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource small = database.pool("greedy", 8, Duration.ofMinutes(1));
  private final HikariDataSource other = database.pool("other", 20);
  private final JdbcTransactions transactions = new JdbcTransactions(other);
  private final Posthorn publisher =
      Posthorn.publishOnly(LiveDatabase.store(other).build(), transactions).start();
  private final ConcurrentLinkedQueue<UUID> delivered = new ConcurrentLinkedQueue<>();
  private final CountDownLatch release = new CountDownLatch(1);
  private final DeliveryLog log = new DeliveryLog();
  private final List<Posthorn> relays = new ArrayList<>();
  private final Await await = new Await(this::evidence);

  @AfterEach
  void stop() {
    release.countDown();
    publisher.close();
    relays.forEach(Posthorn::close);
    database.close();
  }

  @Test
  void handlersThatUseUpThePoolDoNotCostTheLease() throws Exception {
    start("greedy", small, (payload, delivery) -> holdAConnection(delivery.messageId()));
    start("other", other, (payload, delivery) -> delivered.add(delivery.messageId()));
    await.until("both have their share", () -> owned("greedy") == 4 && owned("other") == 4);

    List<UUID> published = publishGreedyOrders(64);
    await.until("the pool is drained", this::drained);
    long drainedAt = heartbeatMillis();
    await.until(
        "heartbeats go on for two leases",
        () -> heartbeatMillis() - drainedAt > 2 * LEASE.toMillis());
    assertThat(drained()).isTrue();
    assertThat(owned("greedy")).isEqualTo(4);
    release.countDown();

    await.until("all are settled", () -> database.rows().ready().isEmpty());
    assertThat(delivered).containsExactlyInAnyOrderElementsOf(published);
    assertThat(log.expelled()).isEmpty();
  }

  @Test
  void outcomesAreStoredWhileHandlersUseUpThePool() throws Exception {
    start("greedy", small, (payload, delivery) -> holdAConnection(delivery.messageId()));
    await.until("it owns all", () -> owned("greedy") == 8);
    publishGreedyOrders(64);
    await.until("the pool is drained", this::drained);

    UUID modest = publish("modest-order", "some-key");

    await.until("it is delivered", () -> delivered.contains(modest));
    await.until(
        "and settled",
        () ->
            database.number("SELECT count(*) FROM outbox_message WHERE id = '" + modest + "'")
                == 0);
    assertThat(drained()).isTrue();
  }

  private void holdAConnection(UUID id) throws Exception {
    try (Connection held = small.getConnection()) {
      assertThat(held.isClosed()).isFalse();
      assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
      delivered.add(id);
    }
  }

  private void start(String name, HikariDataSource pool, Handler<String> handler) {
    relays.add(
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
            .handler("greedy", "order", String.class, handler)
            .handler(
                "modest",
                "modest-order",
                String.class,
                (payload, delivery) -> delivered.add(delivery.messageId()))
            .listener(log)
            .relay(
                relay ->
                    relay
                        .name(name)
                        .leaseDuration(LEASE)
                        .heartbeatInterval(LEASE.dividedBy(4))
                        .workers(16))
            .start());
  }

  private List<UUID> publishGreedyOrders(int count) throws Exception {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(publish("order", "customer-" + i % 32));
    }
    return ids;
  }

  private UUID publish(String type, String key) throws Exception {
    Message message = Message.of(type).key(key).payload("text").build();
    return transactions.call(connection -> publisher.outbox().publish(message));
  }

  private boolean drained() {
    return small.getHikariPoolMXBean().getActiveConnections() == 8
        && small.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0;
  }

  private long heartbeatMillis() {
    return database.number(
        "SELECT coalesce(max(extract(epoch FROM good_until) * 1000), 0)::bigint FROM outbox_heartbeat WHERE id = 'greedy'");
  }

  private long owned(String relay) {
    return database.number(
        "SELECT count(*) FROM outbox_partition WHERE owner_id = '" + relay + "'");
  }

  private String evidence() {
    return "delivered %d, active %d, waiting %d%n%s"
        .formatted(
            delivered.size(),
            small.getHikariPoolMXBean().getActiveConnections(),
            small.getHikariPoolMXBean().getThreadsAwaitingConnection(),
            database.describe());
  }
}
