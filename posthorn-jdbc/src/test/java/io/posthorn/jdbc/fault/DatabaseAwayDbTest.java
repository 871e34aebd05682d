/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server goes away under a relay and its publishers, and comes back. */
@Timeout(120)
class DatabaseAwayDbTest {
  private static final int PUBLISHERS = 3;

  private final PostgresServer server = startedServer();
  private final LiveDatabase database = LiveDatabase.on(server);
  private final HikariDataSource pool = database.pool("application", 20, Duration.ofSeconds(1));
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final RelayLog log = RelayLog.open();
  private final ConcurrentLinkedQueue<UUID> delivered = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<UUID> confirmed = new ConcurrentLinkedQueue<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final Await await = new Await(this::evidence);
  private final List<Thread> publishers = new ArrayList<>();
  private volatile boolean enough;
  private Posthorn posthorn;

  private static PostgresServer startedServer() {
    PostgresServer server = PostgresServer.newest();
    server.start();
    return server;
  }

  @AfterEach
  void stop() throws Exception {
    stopPublishing();
    if (posthorn != null) {
      posthorn.stop(Duration.ofSeconds(5));
    }
    log.close();
    database.close();
    server.close();
  }

  @Test
  void everythingCommittedIsDeliveredOnceThroughAShortOutage() throws Exception {
    start(Duration.ofSeconds(30));

    server.stopImmediate();
    awaitOutageNoticed();
    assertThat(posthorn.relay().status().leaseValid()).isTrue();
    server.start();

    assertEverythingCommittedIsDeliveredOnce();
    assertThat(log.with("joined as")).hasSize(1);
  }

  @Test
  void relayGoesOnAfterAnOutageLongerThanItsLease() throws Exception {
    start(Duration.ofSeconds(2));

    server.kill();
    awaitOutageNoticed();
    await.until("the lease is over", () -> !posthorn.relay().status().leaseValid());
    await.stays(
        "nobody says that the database is back",
        Duration.ofSeconds(2),
        () -> log.with("can use the database again").isEmpty());
    server.start();

    assertEverythingCommittedIsDeliveredOnce();
  }

  private void start(Duration lease) {
    database.execute("CREATE TABLE orders (message_id uuid PRIMARY KEY)");
    posthorn =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
            .handler(
                "shipping",
                "order",
                String.class,
                (payload, delivery) -> delivered.add(delivery.messageId()))
            .relay(
                relay -> relay.name("a").leaseDuration(lease).heartbeatInterval(lease.dividedBy(4)))
            .start();
    for (int i = 0; i < PUBLISHERS; i++) {
      Thread thread = new Thread(this::publishAllTheTime, "publisher-" + i);
      publishers.add(thread);
      thread.start();
    }
    await.until("the relay is at work", () -> delivered.size() > 100);
  }

  private void publishAllTheTime() {
    while (!enough) {
      try {
        confirmed.add(transactions.call(this::placeOrder));
      } catch (Exception e) {
        failures.incrementAndGet();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
  }

  private UUID placeOrder(Connection connection) throws SQLException {
    String key = "customer-" + ThreadLocalRandom.current().nextInt(20);
    UUID id = posthorn.outbox().publish(Message.of("order").key(key).payload("text").build());
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setObject(1, id);
      insert.executeUpdate();
    }
    return id;
  }

  private void awaitOutageNoticed() {
    await.until("publishers get exceptions", () -> failures.get() > PUBLISHERS);
    await.until("the relay says so", () -> !log.with("cannot use the database").isEmpty());
  }

  private void assertEverythingCommittedIsDeliveredOnce() throws Exception {
    int before = delivered.size();
    await.until("the relay is at work again", () -> delivered.size() > before + 100);
    stopPublishing();
    List<UUID> orders =
        database.list("SELECT message_id FROM orders").stream().map(UUID::fromString).toList();
    await.until("all are delivered", () -> delivered.size() >= orders.size());
    await.until("and settled", () -> database.rows().ready().isEmpty());
    assertThat(delivered).containsExactlyInAnyOrderElementsOf(orders).containsAll(confirmed);
    assertThat(log.with("expelled")).isEmpty();
    assertThat(log.with("cannot use the database")).as(log.toString()).hasSize(1);
    await.until(
        "the end of the outage is told", () -> !log.with("can use the database again").isEmpty());
    assertThat(log.with("can use the database again")).as(log.toString()).hasSize(1);
  }

  private void stopPublishing() throws InterruptedException {
    enough = true;
    for (Thread publisher : publishers) {
      publisher.join(TimeUnit.SECONDS.toMillis(30));
    }
  }

  private String evidence() {
    return "delivered %d, confirmed %d, failures %d%n%s%n%s"
        .formatted(
            delivered.size(),
            confirmed.size(),
            failures.get(),
            log,
            server.running() ? database.describe() : "the server does not run");
  }
}
