/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class VirtualThreadsDbTest {
  @Test
  void handlersRunOnVirtualThreadsWhereTheJvmHasThem() throws Exception {
    try (LiveDatabase database = LiveDatabase.onSharedServer()) {
      HikariDataSource pool = database.pool("a", 10);
      JdbcTransactions transactions = new JdbcTransactions(pool);
      CompletableFuture<Thread> worker = new CompletableFuture<>();
      Posthorn.Builder builder =
          Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
              .handler(
                  "shipping",
                  "order",
                  String.class,
                  (payload, delivery) -> worker.complete(Thread.currentThread()))
              .relay(relay -> relay.name("a").virtualThreads(true));
      if (Runtime.version().feature() < 21) {
        assertThatThrownBy(builder::build)
            .isInstanceOf(ConfigurationException.class)
            .hasMessage(
                "relay.virtual-threads was true but this is Java %d; use Java 21 or newer, or set it to false"
                    .formatted(Runtime.version().feature()));
        return;
      }
      try (Posthorn posthorn = builder.start()) {
        transactions.run(connection -> posthorn.outbox().publish("order", "text"));
        Thread thread = worker.get(30, TimeUnit.SECONDS);
        assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(true);
        assertThat(thread.getName()).startsWith("posthorn-a-deliver-");
      }
    }
  }
}
