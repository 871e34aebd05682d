/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
@Tag("long")
class PostgresServerDbTest {

  static List<PostgresServer> versions() {
    return List.of(PostgresServer.newest(), PostgresServer.oldest());
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyVersionAnswersWithItsOwnNumber(PostgresServer server) throws SQLException {
    try (server) {
      server.start();

      assertThat(sql(server).value("SHOW server_version")).startsWith(server.version());
      assertThat(server.running()).isTrue();
    }
    assertThat(server.running()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("versions")
  void committedRowsSurviveKills(PostgresServer server) throws SQLException {
    try (server) {
      server.start();
      sql(server).run("CREATE TABLE kept (n int)");
      for (int round = 1; round <= 5; round++) {
        sql(server).run("INSERT INTO kept VALUES (" + round + ")");
        server.kill();
        assertThat(server.running()).isFalse();
        server.start();
        assertThat(sql(server).value("SELECT count(*) FROM kept")).isEqualTo("" + round);
      }
    }
  }

  @Test
  void openTransactionIsLostInAKillAndItsConnectionBreaks() throws SQLException {
    try (PostgresServer server = PostgresServer.newest()) {
      server.start();
      sql(server).run("CREATE TABLE kept (n int)");
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
        connection.setAutoCommit(false);
        connection.createStatement().execute("INSERT INTO kept VALUES (1)");
        server.kill();
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
      }
      server.start();

      assertThat(sql(server).value("SELECT count(*) FROM kept")).isEqualTo("0");
    }
  }

  @Test
  void stoppedServerStartsAgainOnTheSamePortWithItsRows() throws SQLException {
    try (PostgresServer server = PostgresServer.newest()) {
      int port = server.port();
      server.start();
      sql(server).run("CREATE TABLE kept AS SELECT 7 AS n");
      server.stop();
      assertThat(server.running()).isFalse();
      assertThatThrownBy(() -> sql(server).value("SELECT 1")).isInstanceOf(SQLException.class);
      server.start();
      assertThat(sql(server).value("SELECT n FROM kept")).isEqualTo("7");
      server.stopImmediate();
      server.start();
      assertThat(sql(server).value("SELECT n FROM kept")).isEqualTo("7");
      assertThat(server.port()).isEqualTo(port);
    }
  }

  @Test
  void stopDoesNotWaitForClients() throws SQLException {
    try (PostgresServer server = PostgresServer.newest()) {
      server.start();
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
        server.stop();
        assertThat(connection.isValid(1)).isFalse();
      }
    }
  }

  @Test
  void serverIsDurableAndHasAnAwkwardZone() throws SQLException {
    Sql sql = sql(PostgresServer.shared());

    assertThat(sql.setting("fsync")).isEqualTo("on");
    assertThat(sql.setting("synchronous_commit")).isEqualTo("on");
    assertThat(sql.setting("full_page_writes")).isEqualTo("on");
    assertThat(sql.setting("max_connections")).isEqualTo("200");
    assertThat(sql.value("SHOW shared_buffers")).isEqualTo("256MB");
    assertThat(sql.value("SHOW server_encoding")).isEqualTo("UTF8");
    // The driver sets the session's zone, so the server's own is only in the file.
    assertThat(
            sql.value("SELECT setting FROM pg_file_settings WHERE name = 'timezone' AND applied"))
        .isEqualTo("America/St_Johns");
  }

  @Test
  void settingsCanBeChangedBeforeTheFirstStartOnly() throws SQLException {
    try (PostgresServer server = PostgresServer.newest().withSetting("wal_level", "logical")) {
      server.withSetting("cluster_name", "o'clock").start();

      assertThat(sql(server).setting("wal_level")).isEqualTo("logical");
      assertThat(sql(server).setting("cluster_name")).isEqualTo("o'clock");
      assertThatThrownBy(() -> server.withSetting("fsync", "off"))
          .hasMessageContaining("\"fsync\" not taken");
    }
  }

  @Test
  void failedStartTellsWhatTheServerLogged() {
    try (PostgresServer server = PostgresServer.newest().withSetting("work_mem", "a lot")) {
      assertThatThrownBy(server::start)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("invalid value for parameter \"work_mem\": \"a lot\"");
      assertThat(server.running()).isFalse();
    }
  }

  @Test
  void lifecycleStepsMayBeRepeated() {
    PostgresServer server = PostgresServer.newest();
    server.stop();
    server.kill();
    server.start();
    server.start();
    assertThat(server.running()).isTrue();
    server.kill();
    server.kill();
    server.stop();
    server.close();
    server.close();
    assertThatThrownBy(server::start).hasMessageContaining("make a new server");
  }

  @Test
  void serverKilledByOthersStartsAgain() throws IOException, SQLException {
    try (PostgresServer server = PostgresServer.newest()) {
      server.start();
      long pid = RunningPostgres.at(server.jdbcUrl()).postmaster().pid();
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      Eventually.holds("the server does not run", () -> !server.running());
      server.start();

      assertThat(sql(server).value("SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void closeLeavesNothingBehindEvenAfterAKill() throws IOException, SQLException {
    PostgresServer server = PostgresServer.newest();
    server.start();
    Path data = RunningPostgres.at(server.jdbcUrl()).data();
    PostmasterFile file = PostmasterFile.in(data).orElseThrow();
    assertThat(file.memoryInUse()).isTrue();
    server.kill();
    assertThat(memory(file)).isPresent();
    server.close();

    assertThat(data.getParent()).doesNotExist();
    assertThat(memory(file)).isEmpty();
  }

  private static Optional<String> memory(PostmasterFile file) throws IOException {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .map(String::strip)
        .filter(line -> line.startsWith(file.memoryKey() + " "))
        .findFirst();
  }

  @Test
  void portStaysReservedWhileTheServerIsDown() {
    try (PostgresServer server = PostgresServer.newest()) {
      assertThatThrownBy(() -> new ServerSocket(server.port()).close())
          .isInstanceOf(BindException.class);
    }
  }

  @Test
  void onlyLoopbackIsListenedOn() throws IOException {
    int port = PostgresServer.shared().port();
    for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
      for (InetAddress address : network.inetAddresses().toList()) {
        if (!address.isLoopbackAddress()) {
          new ServerSocket(port, 1, address).close(); // would fail on a port in use
        }
      }
    }
  }

  @Test
  void freshDatabasesAreEmptyAndApart() throws SQLException {
    Sql one = new Sql(PostgresServer.shared().freshDatabase());
    Sql other = new Sql(PostgresServer.shared().freshDatabase());
    one.run("CREATE TABLE thing (n int)");

    assertThat(one.url()).isNotEqualTo(other.url());
    assertThat(other.value("SELECT to_regclass('thing')")).isEqualTo("null");
  }

  @Test
  void databaseNamesMayBeAnything() throws SQLException {
    String name = "Ödd \"name\" & möre/?";
    PostgresServer.shared().createDatabase(name);

    Sql sql = new Sql(PostgresServer.shared().jdbcUrl(name));
    assertThat(sql.value("SELECT current_database()")).isEqualTo(name);
    assertThatThrownBy(() -> PostgresServer.shared().createDatabase(name))
        .hasMessageContaining("already exists");
  }

  @Test
  void databaseOnAStoppedServerIsRefusedWithAdvice() {
    try (PostgresServer server = PostgresServer.newest()) {
      assertThatThrownBy(() -> server.createDatabase("orders"))
          .hasMessageContaining("\"orders\" not created")
          .hasMessageContaining("call start() first");
    }
  }

  private static Sql sql(PostgresServer server) {
    return new Sql(server.jdbcUrl());
  }
}
