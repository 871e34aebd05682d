/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.OldestPostgres;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers and settings that PostgreSQL's dialect cannot work with are refused at open. */
class ServerProblemsDbTest extends FreshDatabaseContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(PostgresServer.shared(), config -> config.setMinimumIdle(1));
  }

  private static List<String> problems(JdbcMessageStore store) {
    return catchThrowableOfType(ConfigurationException.class, store::open).problems();
  }

  /** The problems that a pool with this URL meets, if tables are to be created. */
  private static List<String> problems(String jdbcUrl) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(jdbcUrl);
      pool.setMaximumPoolSize(1);
      return problems(JdbcMessageStore.builder(pool).createTables(true).build());
    }
  }

  private String url() {
    return ((HikariDataSource) database().dataSource()).getJdbcUrl();
  }

  /** The URL of the same schema, whose functions come before those of the server. */
  private String urlOfImpostor() {
    return url() + ",pg_catalog";
  }

  private void answer(String function, String answer) {
    database()
        .execute(
            "CREATE FUNCTION %s RETURNS text LANGUAGE sql AS $$ %s $$".formatted(function, answer));
  }

  private void answerVersion(String number, String version) {
    answer(
        "current_setting(name text)",
        "SELECT CASE name WHEN 'server_version_num' THEN '%s' WHEN 'server_version' THEN '%s' ELSE pg_catalog.current_setting(name) END"
            .formatted(number, version));
  }

  private boolean hasTables() {
    return database()
            .number(
                "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'outbox%'")
        > 0;
  }

  @Test
  void sequenceWithACacheIsRefusedWithTheStatementThatMendsIt() {
    creating().build().open();
    database().execute("ALTER SEQUENCE outbox_seq CACHE 10");

    assertThat(problems(finding().build()))
        .singleElement()
        .asString()
        .contains("\"outbox_seq\"", "a cache of 10", "ALTER SEQUENCE outbox_seq CACHE 1");

    database().execute("ALTER SEQUENCE outbox_seq CACHE 1");
    assertThat(finding().build().open()).isEqualTo(64);
  }

  @Test
  void sequenceIsFoundUnderItsPrefixInItsSchema() {
    database().createSchema("sales");
    creating().schema("Sales").tablePrefix("Shop_").build().open();
    database().execute("ALTER SEQUENCE sales.shop_seq CACHE 2");

    assertThat(problems(finding().schema("Sales").tablePrefix("Shop_").build()))
        .singleElement()
        .asString()
        .contains("\"Sales.Shop_seq\"", "a cache of 2");
  }

  @Test
  void databaseWithAnotherEncodingIsRefused() throws SQLException {
    PostgresServer server = OldestPostgres.shared();
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE western ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    }

    assertThat(problems(server.jdbcUrl("western")))
        .singleElement()
        .asString()
        .contains("\"LATIN1\"", "must be \"UTF8\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CockroachDB     | CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)
          YugabyteDB      | PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit
          Amazon Redshift | PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017, Redshift 1.0.48805
          Greenplum       | PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:e7c2b1f) on x86_64-pc-linux-gnu, 64-bit
          """)
  void serverThatOnlyLooksLikePostgresIsRefusedByName(String name, String version) {
    answer("version()", "SELECT text '" + version + "'");
    answerVersion("150002", "15.2");

    assertThat(problems(urlOfImpostor()))
        .singleElement()
        .asString()
        .contains("the server is " + name, version, "use PostgreSQL 14.1 or newer");
    assertThat(hasTables()).isFalse();
  }

  @Test
  void serverThatIsTooOldIsRefusedWithTheOldestThatWorks() {
    answerVersion("130004", "13.4 (Debian 13.4-1)");

    assertThat(problems(urlOfImpostor()))
        .singleElement()
        .asString()
        .contains("PostgreSQL 13.4 (Debian 13.4-1)", "must be 14.1 or newer");
    assertThat(hasTables()).isFalse();
  }

  @Test
  void oldestServerThatWorksIsTaken() {
    creating().build().open();
    answerVersion("140001", "14.1");

    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(urlOfImpostor());
      assertThat(JdbcMessageStore.on(pool).open()).isEqualTo(64);
    }
  }

  @Test
  void allProblemsOfTheServerAreNamedTogether() {
    creating().build().open();
    database().execute("ALTER SEQUENCE outbox_seq CACHE 10");
    answerVersion("130004", "13.4");

    assertThat(problems(urlOfImpostor())).hasSize(2);
  }
}
