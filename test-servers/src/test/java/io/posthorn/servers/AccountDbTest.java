/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class AccountDbTest {

  static Stream<Account> accounts() {
    return Account.usable(ServerFiles.ofThisUser().root());
  }

  @ParameterizedTest
  @MethodSource("accounts")
  void serverRunsAndRestartsUnderEveryUsableAccount(Account account) throws SQLException {
    try (PostgresServer server = new PostgresServer("18.6", files -> account)) {
      server.start();
      new Sql(server.jdbcUrl()).run("CREATE TABLE kept AS SELECT 7 AS n");
      server.kill();
      server.start();
      server.stop();
      server.start();

      assertThat(new Sql(server.jdbcUrl()).value("SELECT n FROM kept")).isEqualTo("7");
    }
  }

  @Test
  void serverRunsForANormalUserOnAnEmptyMachine(@TempDir Path directory) throws Exception {
    Path temporary = directory.resolve("tmp");
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.ofNormalUser(directory)) {
      RunningPostgres server = RunningPostgres.at(jvm.url());
      assertThat(server.data().startsWith(temporary)).isTrue();
      assertThat(Files.getAttribute(server.data(), "unix:uid"))
          .isEqualTo(Files.getAttribute(temporary, "unix:uid"));
      jvm.kill();

      Eventually.holds("the postmaster is gone", () -> !server.postmaster().alive());
    }
  }
}
