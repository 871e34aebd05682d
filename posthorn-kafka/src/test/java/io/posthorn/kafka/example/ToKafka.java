/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka.example;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.kafka.KafkaSender;
import java.util.Map;
import javax.sql.DataSource;

/** The code of docs/brokers.md, so that it compiles. */
final class ToKafka {
  private ToKafka() {}

  static void run(DataSource dataSource, JdbcTransactions transactions) {
    // docs:begin
    try (var kafka = KafkaSender.connect(Map.of("bootstrap.servers", "localhost:9092"));
        var posthorn =
            Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
                .sender("kafka", kafka)
                .route(Route.type("order-placed").to("kafka", "orders"))
                .route(Route.otherwise().to("kafka")) // the topic is named like the type
                .start()) {
      takeOrders(posthorn.outbox());
    }
    // docs:end
  }

  /** What the application does all day. */
  static void takeOrders(Outbox outbox) {}
}
