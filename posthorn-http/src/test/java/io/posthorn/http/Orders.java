/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spi.Sender;
import io.posthorn.test.DeliveryLog;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An outbox on a database of its own, whose messages of type "order" go to an HTTP endpoint. */
final class Orders implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HikariDataSource dataSource;
  private final JdbcTransactions transactions;
  private final Posthorn posthorn;
  private final DeliveryLog log = new DeliveryLog();

  Orders(Sender sender, String url) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(PostgresServer.shared().freshDatabase());
    pool.setMaximumPoolSize(12);
    dataSource = new HikariDataSource(pool);
    transactions = new JdbcTransactions(dataSource);
    posthorn =
        Posthorn.inOneProcess(
                JdbcMessageStore.builder(dataSource).createTables(true).build(), transactions)
            .sender("http", sender)
            .route(Route.type("order").to("http", url))
            .listener(log)
            .relay(relay -> relay.probeInterval(Duration.ofMillis(500)))
            .start();
  }

  /** Publishes text messages of these numbers, each with one of the keys k0, k1, … */
  void publish(int from, int to, int keys) throws Exception {
    List<Message> messages =
        IntStream.range(from, to)
            .mapToObj(i -> message("k" + i % keys, Integer.toString(i)))
            .toList();
    publish(messages);
  }

  void publish(List<Message> messages) throws Exception {
    transactions.run(connection -> posthorn.outbox().publishAll(messages));
  }

  static Message message(String key, String text) {
    return Message.of("order").key(key).payload(text).build();
  }

  DeliveryLog log() {
    return log;
  }

  void awaitDelivered(int messages) throws InterruptedException {
    await(
        () -> log.delivered().size() >= messages,
        () -> log.delivered().size() + " of " + messages + " delivered");
  }

  static void await(BooleanSupplier condition, Supplier<String> told) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + LIMIT + ": " + told.get());
      }
      Thread.onSpinWait();
    }
  }

  void assertNoAttemptCounted() {
    assertThat(log.delivered()).extracting(Delivery::attempt).containsOnly(1);
    assertThat(log.retrying()).isEmpty();
    assertThat(log.dead()).isEmpty();
  }

  @Override
  public void close() {
    posthorn.close();
    dataSource.close();
  }
}
