/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.OutboxSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import javax.sql.DataSource;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tables are created by Flyway or Liquibase, as the documents say, and the store takes them.
 */
abstract class MigrationToolsContract {
  @TempDir Path migrations;
  private HikariDataSource dataSource;

  abstract HikariDataSource database();

  /** The folder of the scripts. */
  abstract String folder();

  @BeforeEach
  void open() {
    dataSource = database();
  }

  @AfterEach
  void close() {
    dataSource.close();
  }

  private void assertUsable(String prefix) {
    JdbcMessageStore store = JdbcMessageStore.builder(dataSource).tablePrefix(prefix).build();
    assertThat(store.schema().validate()).isEmpty();
    assertThat(store.open()).isEqualTo(64);
  }

  /** With a history table of its own, since the outbox has version numbers of its own. */
  private static int flywayInTheJar(DataSource dataSource, String database) {
    // docs:begin
    Flyway outbox =
        Flyway.configure()
            .dataSource(dataSource)
            .locations("classpath:io/posthorn/jdbc/" + database)
            .table("outbox_flyway_history")
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .load();
    // docs:end
    return outbox.migrate().migrationsExecuted;
  }

  @Test
  void flywayRunsTheScriptsThatAreInTheJar() throws Exception {
    execute("CREATE TABLE customer (id bigint PRIMARY KEY)");

    assertThat(flywayInTheJar(dataSource, folder())).isEqualTo(1);

    assertUsable("outbox_");
    assertThat(flywayInTheJar(dataSource, folder())).as("again").isZero();
  }

  private static void print(DataSource dataSource, Path migrations) throws Exception {
    // docs:begin
    OutboxSchema schema =
        JdbcMessageStore.builder(dataSource).tablePrefix("shop_").build().schema();
    Files.writeString(migrations.resolve("V7__outbox.sql"), schema.print());
    // docs:end
  }

  @Test
  void flywayRunsAPrintedScriptAmongTheMigrationsOfTheApplication() throws Exception {
    Files.writeString(
        migrations.resolve("V1__customers.sql"), "CREATE TABLE customer (id bigint PRIMARY KEY);");
    print(dataSource, migrations);

    Flyway flyway =
        Flyway.configure().dataSource(dataSource).locations("filesystem:" + migrations).load();

    assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
    assertUsable("shop_");
  }

  @Test
  void liquibaseRunsTheScriptsThatAreInTheJar() throws Exception {
    try (Connection connection = dataSource.getConnection();
        Liquibase liquibase =
            new Liquibase(
                "db/changelog/changelog.xml",
                new ClassLoaderResourceAccessor(),
                DatabaseFactory.getInstance()
                    .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
      liquibase.update();
    }

    assertUsable("outbox_");
  }

  @Test
  void posthornCreatesItsTables() {
    useThroughTheApi(dataSource);

    assertUsable("shop_");
  }

  private static void useThroughTheApi(DataSource dataSource) {
    // docs:begin
    OutboxSchema schema =
        JdbcMessageStore.builder(dataSource).tablePrefix("shop_").build().schema();
    System.out.println(schema.print()); // the SQL that creates the tables
    schema.apply(); // creates or upgrades them
    System.out.println(schema.validate()); // what keeps the store from using them: []
    // docs:end
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
