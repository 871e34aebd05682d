/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.servers.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that goes away while a connection is opened does not hang a duty. Issue 18, B1. */
class BoundedConnectDbTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ServerSocket silent;

  @BeforeEach
  void listen() throws IOException {
    silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    silent.close();
    threads.shutdownNow();
  }

  private String silentUrl(String settings) {
    return "jdbc:postgresql://localhost:%d/shop?user=shop&sslmode=disable%s"
        .formatted(silent.getLocalPort(), settings);
  }

  private Future<Connection> connect(String url, String firstStatement) {
    return threads.submit(() -> connection(url, firstStatement));
  }

  private static Connection connection(String url, String firstStatement) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setConnectionInitSql(firstStatement);
      UnpooledDataSource unpooled = UnpooledDataSource.of(pool);
      assertThat(unpooled).isNotNull();
      return unpooled.getConnection();
    }
  }

  private static void assertFails(Future<Connection> connecting, Duration within) {
    assertThatThrownBy(() -> connecting.get(within.toSeconds(), SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SQLException.class);
  }

  @Test
  void aServerThatAcceptsAndSaysNothingIsGivenUpAndNoThreadGoesOnWaiting() throws Exception {
    Future<Connection> connecting = connect(silentUrl(""), null);

    try (Socket accepted = silent.accept()) {
      accepted.setSoTimeout(25_000);
      assertFails(connecting, Duration.ofSeconds(25));
      while (accepted.getInputStream().read() >= 0) { // until the driver's own thread has left
        assertThat(accepted.isConnected()).isTrue();
      }
    }
  }

  @Test
  void aHostThatSaysNothingDoesNotKeepTheNextFromBeingTried() throws Exception {
    URI real = URI.create(PostgresServer.shared().freshDatabase().substring("jdbc:".length()));
    String hosts =
        "localhost:%d,%s:%d".formatted(silent.getLocalPort(), real.getHost(), real.getPort());
    String url =
        "jdbc:postgresql://%s%s?%s&sslmode=disable"
            .formatted(hosts, real.getPath(), real.getQuery());

    try (Connection connection = connect(url, null).get(25, SECONDS)) {
      assertThat(connection.isValid(5)).isTrue();
    }
  }

  @Test
  void theFirstStatementsAreBounded() {
    Future<Connection> connecting =
        connect(PostgresServer.shared().freshDatabase(), "SELECT pg_sleep(60)");

    assertFails(connecting, Duration.ofSeconds(25));
  }

  @Test
  void laterStatementsAreNot() throws Exception {
    String url = PostgresServer.shared().freshDatabase();

    try (Connection connection = connect(url, null).get(20, SECONDS)) {
      assertThat(connection.getNetworkTimeout()).isZero();
    }
    try (Connection connection = connect(url + "&socketTimeout=77", null).get(20, SECONDS)) {
      assertThat(connection.getNetworkTimeout()).isEqualTo(77_000);
    }
  }

  /** Otherwise the driver throws what nobody expects of a connection. */
  @Test
  void anInterruptedConnectIsAFailedOne() {
    Future<Connection> connecting =
        threads.submit(
            () -> {
              Thread.currentThread().interrupt();
              return connection(silentUrl(""), null);
            });

    assertFails(connecting, Duration.ofSeconds(20));
  }

  @Test
  void theUrlHasTheLastWord() {
    assertFails(connect(silentUrl("&loginTimeout=1"), null), Duration.ofSeconds(6));
    assertFails(connect(silentUrl("&socketTimeout=1"), null), Duration.ofSeconds(6));
  }
}
