/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http.example;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.http.HttpSender;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import javax.sql.DataSource;

/** The code of docs/brokers.md, so that it compiles. */
final class ToWebhooks {
  private ToWebhooks() {}

  static void run(DataSource dataSource, JdbcTransactions transactions) {
    // docs:begin
    try (var http = HttpSender.builder().secrets(System.getenv("WEBHOOK_SECRET")).build();
        var posthorn =
            Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
                .sender("http", http)
                .route(Route.type("order-placed").to("http", "https://hooks.example.com/{tenant}"))
                .start()) {
      takeOrders(posthorn.outbox());
    }
    // docs:end
  }

  /** What the application does all day. */
  static void takeOrders(Outbox outbox) {}
}
