/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("long")
class PostgresCopiesDbTest {
  private final PostgresServer server = PostgresServer.newest();

  @BeforeEach
  void start() throws SQLException {
    server.start();
    sql(server).run("CREATE TABLE kept (n int)");
    sql(server).run("INSERT INTO kept VALUES (1)");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static Sql sql(PostgresServer server) {
    return new Sql(server.jdbcUrl());
  }

  @Test
  void standbyFollowsAndTakesOver() throws Exception {
    try (PostgresServer standby = PostgresServer.standbyOf(server, server.port())) {
      standby.start();
      sql(server).run("ALTER SYSTEM SET synchronous_standby_names = '*'");
      sql(server).value("SELECT pg_reload_conf()");
      Eventually.holds("the standby is synchronous", this::hasSynchronousStandby);
      sql(server).run("INSERT INTO kept VALUES (2)");
      server.kill();

      standby.promote();
      sql(standby).run("INSERT INTO kept VALUES (3)");
      assertThat(sql(standby).value("SELECT sum(n) FROM kept")).isEqualTo("6");
    }
  }

  private boolean hasSynchronousStandby() {
    try {
      return sql(server).value("SELECT max(sync_state) FROM pg_stat_replication").equals("sync");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void olderStateIsBroughtBack() throws SQLException {
    try (PostgresBackup backup = server.backUp()) {
      sql(server).run("INSERT INTO kept VALUES (2)");

      server.restore(backup);
      server.start();
      assertThat(sql(server).value("SELECT sum(n) FROM kept")).isEqualTo("1");
      sql(server).run("INSERT INTO kept VALUES (4)");
      server.kill();
      server.start();
      assertThat(sql(server).value("SELECT sum(n) FROM kept")).isEqualTo("5");
    }
  }
}
