/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.DatabaseHealth;
import io.posthorn.DatabaseHealth.Finding;
import io.posthorn.DatabaseHealth.Topic;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database with an outbox, whose state is asked for as an application does it. */
abstract class HealthScene {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** So short that any transaction is a finding. */
  static final Duration NONE = Duration.ZERO;

  static final Duration HOUR = Duration.ofHours(1);

  TestDatabase database;

  abstract TestDatabase newDatabase();

  @BeforeEach
  final void create() {
    database = newDatabase();
    database.builder().build().open();
  }

  @AfterEach
  final void close() {
    database.close();
  }

  DatabaseHealth health(Duration patience) {
    return database.builder().build().admin().databaseHealth(patience);
  }

  /** The same, with connections that differ. */
  DatabaseHealth health(Duration patience, Consumer<HikariConfig> settings) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(1);
    settings.accept(config);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      return JdbcMessageStore.builder(pool)
          .createTables(false)
          .build()
          .admin()
          .databaseHealth(patience);
    }
  }

  /** A session outside the pool. */
  Connection session(String options) throws SQLException {
    return DriverManager.getConnection(database.url() + options);
  }

  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  static List<Finding> about(Topic topic, DatabaseHealth health) {
    return health.findings().stream().filter(finding -> finding.topic() == topic).toList();
  }

  /**
   * Asks until it is there; statistics come a little later. Not more often than InnoDB looks at its
   * transactions anew, which it does only for who has not asked in the last 100 ms.
   */
  DatabaseHealth healthWith(Duration patience, Predicate<DatabaseHealth> wanted)
      throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    DatabaseHealth health = health(patience);
    while (!wanted.test(health)) {
      if (System.nanoTime() > end) {
        fail("not found: " + health);
      }
      TimeUnit.MILLISECONDS.sleep(200);
      health = health(patience);
    }
    return health;
  }

  DatabaseHealth healthAbout(Topic topic, Duration patience) throws InterruptedException {
    return healthWith(patience, health -> !about(topic, health).isEmpty());
  }

  @Test
  void sizesOfAllTablesThatGrowAreTold() {
    DatabaseHealth health = health(HOUR);

    assertThat(health.tables())
        .extracting(DatabaseHealth.Table::name)
        .containsExactlyInAnyOrder(
            "outbox_message",
            "outbox_deferred",
            "outbox_dead",
            "outbox_history",
            "outbox_idempotency",
            "outbox_deferred_floor",
            "outbox_heartbeat",
            "outbox_partition");
    assertThat(health.tables())
        .filteredOn(table -> table.name().equals("outbox_partition"))
        .allSatisfy(table -> assertThat(table.bytes() + table.indexBytes()).isPositive());
  }

  /** Makes it look as if a relay owned everything. */
  void own() {
    database.execute(
        "UPDATE outbox_partition SET owner_id = 'a', owner_incarnation = 1, floor_seq = 5");
  }
}
