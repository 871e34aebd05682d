/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.PostgresDialect;
import io.posthorn.servers.PostgresServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A pooler is named when it is one, and only then (hostile.md, D8). */
class PoolerDbTest {
  private final String direct = PostgresServer.shared().freshDatabase();

  private static HeldConnection connection(String url) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url);
    return new HeldConnection(
        "signal",
        new ConnectionSource(dataSource),
        new StoreFailures(new PostgresDialect()),
        Duration.ofSeconds(10));
  }

  @Test
  void aServerThatIsAskedDirectlyIsNoPooler() {
    try (PostgresWakeChannel channel =
        PostgresWakeChannel.owning(connection(direct), connection(direct), "outbox")) {
      assertThat(channel.obstacle()).isEmpty();
    }
  }

  @Test
  void aPoolerIsNamed() throws Exception {
    int server = PostgresServer.shared().port();
    try (PoolerProxy pooler = new PoolerProxy(server)) {
      String url =
          direct.replace(":" + server + "/", ":" + pooler.port() + "/") + "&sslmode=disable";
      try (PostgresWakeChannel channel =
          PostgresWakeChannel.owning(connection(direct), connection(url), "outbox")) {
        List<String> none = channel.receive(Duration.ofMillis(1));
        channel.send("x");

        assertThat(none).isEmpty();
        assertThat(channel.receive(Duration.ofMillis(300))).isEmpty();
        assertThat(channel.obstacle())
            .hasValueSatisfying(obstacle -> assertThat(obstacle).contains("a connection pooler"));
      }
    }
  }
}
