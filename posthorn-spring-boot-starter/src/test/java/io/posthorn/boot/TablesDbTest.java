/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.ConfigurationException;
import io.posthorn.servers.PostgresServer;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

class TablesDbTest {
  private static final String SCRIPT = "io/posthorn/jdbc/postgresql/V1__create_outbox.sql";

  private final PostgresServer server = PostgresServer.shared();
  private final String database = "spring.datasource.url=" + server.freshDatabase();

  private static void placesAndReceives(ConfigurableApplicationContext context) throws Exception {
    context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 7));

    assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(new Shop.Order("o-1", 7));
  }

  @Test
  void withoutTablesTheStartFailsAndTellsWhatToDo() {
    Throwable failure = catchThrowable(() -> Shop.run(Shop.class, database).close());

    assertThat(failure)
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessageContaining(SCRIPT);
    assertThat(new ConfigurationFailureAnalyzer().analyze(failure).getAction())
        .contains("posthorn.store.create-tables=true");
  }

  @Test
  void aPropertyCreatesThem() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(Shop.class, database, "posthorn.store.create-tables=true")) {
      placesAndReceives(context);
    }
  }

  @Test
  void propertiesNameThem() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(
            Shop.class,
            database,
            "posthorn.store.create-tables=true",
            "posthorn.store.tables.message=orders_to_send",
            "posthorn.store.tables.deferred-floor=waiting_from")) {
      placesAndReceives(context);

      var sql = new JdbcTemplate(context.getBean(DataSource.class));
      assertThat(sql.queryForObject("SELECT count(*) FROM waiting_from", Integer.class))
          .isPositive();
      assertThat(sql.queryForObject("SELECT count(*) FROM orders_to_send", Integer.class))
          .isNotNull();
    }
  }

  @Test
  void flywayCreatesThem(@TempDir Path migrations) throws Exception {
    Files.writeString(migrations.resolve("V1__orders.sql"), "CREATE TABLE orders (id int);");
    try (InputStream script = getClass().getClassLoader().getResourceAsStream(SCRIPT)) {
      Files.copy(script, migrations.resolve("V2__outbox.sql"));
    }

    try (ConfigurableApplicationContext context =
        Shop.run(
            Shop.class,
            database,
            "spring.flyway.enabled=true",
            "spring.flyway.locations=filesystem:" + migrations)) {
      placesAndReceives(context);
    }
  }

  @Test
  void liquibaseCreatesThem() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.run(
            Shop.class,
            database,
            "spring.liquibase.enabled=true",
            "spring.liquibase.change-log=classpath:liquibase/outbox.xml")) {
      placesAndReceives(context);
    }
  }
}
