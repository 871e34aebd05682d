/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Timeout(120)
class MySqlServerDbTest {
  @Test
  void mariaDbKeepsItsCommitsWhenItIsKilledAndWhenItIsStopped() throws SQLException {
    try (MySqlServer server = MySqlServer.mariaDb()) {
      keepsItsCommits(server, "MariaDB");
    }
  }

  @Test
  @EnabledIf(
      value = "io.posthorn.servers.MySqlServer#mySqlRuns",
      disabledReason = "MySQL needs libaio.so.1: install libaio1 or set posthorn.test.libraries")
  void mySqlKeepsItsCommitsWhenItIsKilledAndWhenItIsStopped() throws SQLException {
    try (MySqlServer server = MySqlServer.mySql()) {
      keepsItsCommits(server, "8.0");
    }
  }

  private static void keepsItsCommits(MySqlServer server, String version) throws SQLException {
    server.start();
    Sql sql = new Sql(server.freshDatabase());
    sql.run("CREATE TABLE kept (number int) ENGINE = InnoDB");
    sql.run("INSERT INTO kept VALUES (1)");
    server.kill();
    assertThat(server.running()).isFalse();
    server.start();
    sql.run("INSERT INTO kept VALUES (2)");
    server.stop();
    server.start();

    assertThat(sql.value("SELECT count(*) FROM kept")).isEqualTo("2");
    assertThat(sql.value("SELECT version()")).contains(version);
  }
}
