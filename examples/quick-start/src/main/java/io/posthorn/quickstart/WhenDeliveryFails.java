/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The code of docs/failures.md, so that it compiles. */
final class WhenDeliveryFails {
  private WhenDeliveryFails() {}

  record Order(String id, boolean cancelled) {}

  /** Somebody else's service. */
  interface Mail {
    void send(@Nullable Order order) throws IOException, TimeoutException;

    boolean busy();
  }

  static HandlerSpec<Order> retries(Mail mail) {
    // docs:begin
    return HandlerSpec.of(
            "mailer", "order-placed", Order.class, (order, delivery) -> mail.send(order))
        .retry(
            RetryPolicy.exponential(Duration.ofMillis(200), Duration.ofMinutes(1), 10)
                .jitter(0.2)
                .noRetryOn(IllegalArgumentException.class))
        .destinationDown(IOException.class)
        .lanePolicy(LanePolicy.BLOCK)
        .timeLimit(Duration.ofSeconds(30))
        .rateLimit(100, Duration.ofSeconds(1))
        .fallback((order, delivery, cause) -> System.err.println(delivery + " failed: " + cause));
    // docs:end
  }

  static HandlerSpec<Order> decides(Mail mail) {
    // docs:begin
    return HandlerSpec.deciding(
        "mailer",
        "order-placed",
        Order.class,
        (order, delivery) -> {
          if (order == null || order.cancelled()) {
            return DeliveryResult.ignored();
          }
          if (mail.busy()) {
            return DeliveryResult.retryAfterUncounted(Duration.ofMinutes(5));
          }
          mail.send(order);
          return DeliveryResult.delivered();
        });
    // docs:end
  }

  static HandlerSpec<Order> asksAfterFailures(HandlerSpec<Order> mailer) {
    // docs:begin
    return mailer.onFailure(
        (order, delivery, cause) ->
            cause instanceof TimeoutException
                ? DeliveryResult.retryAfter(Duration.ofSeconds(10))
                : null); // the retry policy decides
    // docs:end
  }

  static Posthorn.Builder books(Posthorn.Builder builder, JdbcTransactions transactions) {
    // docs:begin
    return builder.handler(
        HandlerSpec.of(
                "ledger",
                "order-placed",
                Order.class,
                (order, delivery) -> book(transactions.current().unwrap(Connection.class), order))
            .transactional());
    // docs:end
  }

  private static void book(Connection connection, @Nullable Order order) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO ledger (order_id) VALUES (?)")) {
      insert.setString(1, order == null ? null : order.id());
      insert.executeUpdate();
    }
  }
}
