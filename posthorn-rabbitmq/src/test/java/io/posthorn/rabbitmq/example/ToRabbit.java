/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq.example;

import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.rabbitmq.RabbitSender;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import javax.sql.DataSource;

/** The code of docs/brokers.md, so that it compiles. */
final class ToRabbit {
  private ToRabbit() {}

  static void run(DataSource dataSource, JdbcTransactions transactions)
      throws URISyntaxException, GeneralSecurityException {
    // docs:begin
    var factory = new ConnectionFactory(); // com.rabbitmq.client
    factory.setUri("amqp://localhost");
    try (var rabbit = RabbitSender.connect(factory);
        var posthorn =
            Posthorn.inOneProcess(JdbcMessageStore.on(dataSource), transactions)
                .sender("rabbit", rabbit)
                .route(Route.type("order-placed").to("rabbit", "orders").routingKey("{tenant}"))
                .start()) {
      takeOrders(posthorn.outbox());
    }
    // docs:end
  }

  /** What the application does all day. */
  static void takeOrders(Outbox outbox) {}
}
