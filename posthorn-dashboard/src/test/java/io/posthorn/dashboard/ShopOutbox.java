/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.DeliveryResult;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RelayOptions;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An outbox on PostgreSQL with a running relay. Each type has a handler that does as the test says,
 * and {@code ledger} takes everything.
 */
final class ShopOutbox implements AutoCloseable {
  /** A test that changes what a handler does takes a type of its own. */
  enum ShopType {
    ORDER_PLACED("order-placed", "mailer"),
    INVOICE_SENT("invoice-sent", "billing"),
    STOCK_CHANGED("stock-changed", "search-index"),
    PARCEL_SENT("parcel-sent", "courier"),
    HOSTILE("<script>alert('type')</script>", "<img src=x onerror=alert('handler')>");

    private final String typeName;
    private final String handler;

    ShopType(String typeName, String handler) {
      this.typeName = typeName;
      this.handler = handler;
    }

    String handler() {
      return handler;
    }

    Message.Builder message(String key) {
      return Message.of(typeName).key(key).contentType("application/json");
    }
  }

  private final HikariDataSource dataSource;
  private final JdbcTransactions transactions;
  private final Posthorn posthorn;
  private final Map<ShopType, Handler.Deciding<String>> handlers = new ConcurrentHashMap<>();

  ShopOutbox() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(PostgresServer.shared().freshDatabase());
    config.setMaximumPoolSize(12);
    dataSource = new HikariDataSource(config);
    transactions = new JdbcTransactions(dataSource);
    Posthorn.Builder builder =
        Posthorn.inOneProcess(
                JdbcMessageStore.builder(dataSource).createTables(true).partitions(8).build(),
                transactions)
            .handler(HandlerSpec.generic("ledger", any -> true, (payload, delivery) -> {}));
    for (ShopType type : ShopType.values()) {
      handle(type, (payload, delivery) -> DeliveryResult.delivered());
      builder.handler(
          HandlerSpec.deciding(
              type.handler,
              type.typeName,
              String.class,
              (payload, delivery) -> handlers.get(type).handle(payload, delivery)));
    }
    posthorn = builder.relay(ShopOutbox::settings).start();
  }

  private static void settings(RelayOptions options) {
    options
        .name("shop-1")
        .applicationVersion("2026.11.3")
        .retention(Duration.ofHours(1))
        .leaseDuration(Duration.ofSeconds(10))
        .heartbeatInterval(Duration.ofSeconds(1))
        .probeInterval(Duration.ofMillis(200));
  }

  Posthorn posthorn() {
    return posthorn;
  }

  /** From now on the handler of this type does that. */
  void handle(ShopType type, Handler.Deciding<String> handler) {
    handlers.put(type, handler);
  }

  /** In one transaction; returns when the relay has delivered or deferred all of them. */
  List<UUID> publish(List<Message> messages) {
    List<UUID> ids = publishOnly(messages);
    awaitIdle();
    return ids;
  }

  List<UUID> publishOnly(List<Message> messages) {
    try {
      return transactions.call(connection -> posthorn.outbox().publishAll(messages));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  void awaitIdle() {
    if (!posthorn.relay().awaitIdle(Duration.ofSeconds(20))) {
      throw new AssertionError("the relay still had work after 20 s");
    }
  }

  UUID publish(Message message) {
    return publish(List.of(message)).get(0);
  }

  /** A message whose handler gives it up. */
  UUID dead(ShopType type, String key, String error) {
    handle(type, (payload, delivery) -> DeliveryResult.dead(error));
    return publish(type.message(key).payload("{}").build());
  }

  @Override
  public void close() {
    posthorn.close();
    dataSource.close();
  }
}
