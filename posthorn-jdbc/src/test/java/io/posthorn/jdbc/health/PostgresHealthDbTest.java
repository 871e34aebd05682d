/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DatabaseHealth;
import io.posthorn.DatabaseHealth.Topic;
import io.posthorn.jdbc.fixture.ShippedScripts;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

class PostgresHealthDbTest extends HealthScene {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(PostgresServer.shared(), config -> config.setMinimumIdle(1));
  }

  private Connection openSnapshot() throws Exception {
    Connection report = session("&ApplicationName=nightly-report");
    report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    report.setAutoCommit(false);
    run(report, "SELECT 1 FROM outbox_message");
    return report;
  }

  @Test
  void aDatabaseThatIsWellHasNoFindings() {
    DatabaseHealth health = health(HOUR);

    assertThat(health.findings()).isEmpty();
    assertThat(health.unseen()).isEmpty();
    assertThat(health.historyLength()).isNull();
  }

  @Test
  void anOldSnapshotIsFoundWithWhoHoldsIt() throws Exception {
    try (Connection report = openSnapshot()) {
      assertThat(about(Topic.OLD_TRANSACTION, health(NONE)))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.found())
                    .contains("\"postgres\"", "nightly-report", "idle in transaction");
                assertThat(finding.advice()).contains("pg_terminate_backend(");
              });
      DatabaseHealth patient = health(HOUR);
      assertThat(about(Topic.OLD_TRANSACTION, patient)).isEmpty();
      assertThat(patient.oldest().who()).contains("nightly-report");
      assertThat(patient.oldest().age()).isNotNull();
      report.rollback();
    }
  }

  @Test
  void aTransactionThatWritesElsewhereIsFoundToo() throws Exception {
    String other = PostgresServer.shared().jdbcUrl() + "&ApplicationName=import";
    try (Connection writer = DriverManager.getConnection(other)) {
      writer.setAutoCommit(false);
      run(writer, "SELECT pg_current_xact_id()");

      assertThat(about(Topic.OLD_TRANSACTION, health(NONE)))
          .singleElement()
          .satisfies(finding -> assertThat(finding.found()).contains("\"import\""));
      writer.rollback();
    }
  }

  @Test
  void aPreparedTransactionIsFound() throws Exception {
    try (Connection manager = session("")) {
      run(manager, "BEGIN", "SELECT pg_current_xact_id()", "PREPARE TRANSACTION 'order-4711'");
      try {
        DatabaseHealth health = health(NONE);

        assertThat(about(Topic.PREPARED_TRANSACTION, health))
            .singleElement()
            .satisfies(
                finding -> assertThat(finding.advice()).contains("ROLLBACK PREPARED 'order-4711'"));
        assertThat(health.oldest().who()).contains("order-4711");
        assertThat(about(Topic.PREPARED_TRANSACTION, health(HOUR))).isEmpty();
      } finally {
        run(manager, "ROLLBACK PREPARED 'order-4711'");
      }
    }
  }

  @Test
  void aReplicationSlotWithoutAConsumerIsFound() {
    database.execute("SELECT pg_create_physical_replication_slot('forgotten', true)");
    try {
      assertThat(about(Topic.REPLICATION_SLOT, health(HOUR)))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.found()).contains("\"forgotten\"", "no consumer");
                assertThat(finding.advice()).contains("pg_drop_replication_slot('forgotten')");
              });
    } finally {
      database.execute("SELECT pg_drop_replication_slot('forgotten')");
    }
  }

  private void leaveDeadRows(int rows) throws Exception {
    database.execute("ALTER TABLE outbox_message SET (autovacuum_enabled = false)");
    try (Connection connection = session("")) {
      run(
          connection,
          """
          INSERT INTO outbox_message (partition_no, id, type, content_type, occurred_at, created_at)
          SELECT 0, gen_random_uuid(), 't', 'text/plain', now(), now() FROM generate_series(1, %d)
          """
              .formatted(rows),
          "DELETE FROM outbox_message",
          "SELECT pg_stat_force_next_flush()");
    }
  }

  @Test
  void deadRowsAreFoundWithWhoKeepsThem() throws Exception {
    leaveDeadRows(120_000);

    DatabaseHealth health = healthAbout(Topic.DEAD_ROWS, HOUR);
    assertThat(about(Topic.DEAD_ROWS, health))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.found())
                  .contains("\"outbox_message\"", "120000 dead rows", "last vacuum: never");
              assertThat(finding.advice()).startsWith("run VACUUM outbox_message");
            });
    assertThat(about(Topic.SETTING, health))
        .singleElement()
        .satisfies(finding -> assertThat(finding.advice()).contains("RESET (autovacuum_enabled)"));
    try (Connection report = openSnapshot()) {
      assertThat(about(Topic.DEAD_ROWS, health(HOUR)))
          .singleElement()
          .satisfies(finding -> assertThat(finding.advice()).contains("nightly-report"));
      report.rollback();
    }

    database.execute("VACUUM outbox_message");

    DatabaseHealth vacuumed = healthWith(HOUR, now -> about(Topic.DEAD_ROWS, now).isEmpty());
    assertThat(vacuumed.tables().get(0).vacuumedAt()).isNotNull();
  }

  @Test
  void settingsThatLoseMessagesAreFound() {
    DatabaseHealth health =
        health(HOUR, config -> config.setConnectionInitSql("SET synchronous_commit = off"));

    assertThat(about(Topic.SETTING, health))
        .singleElement()
        .satisfies(finding -> assertThat(finding.found()).isEqualTo("synchronous_commit is off"));
  }

  @Test
  void floorsThatAreFarBehindAreFoundIfSomebodyOwnsThem() {
    database.execute("SELECT setval('outbox_seq', 2000000)");
    assertThat(health(HOUR).floorLag()).isNull();
    own();

    DatabaseHealth health = health(HOUR);

    assertThat(health.floorLag()).isEqualTo(1_999_995);
    assertThat(about(Topic.FLOOR_LAG, health)).hasSize(1);
    database.execute("UPDATE outbox_partition SET floor_seq = 1999990");
    assertThat(about(Topic.FLOOR_LAG, health(HOUR))).isEmpty();
  }

  @Test
  void partitionsOfTheHistoryCount() {
    database.execute(ShippedScripts.read("postgresql/partitioned_history.sql"));
    database.execute(
        """
        INSERT INTO outbox_history (partition_no, seq, handler, id, type, content_type, occurred_at, created_at, delivered_at)
        VALUES (0, 1, 'mailer', gen_random_uuid(), 't', 'text/plain', now(), now(), now())
        """);

    assertThat(health(HOUR).tables())
        .filteredOn(table -> table.name().equals("outbox_history"))
        .singleElement()
        .satisfies(table -> assertThat(table.bytes()).isPositive());
  }

  @Test
  void withoutRightsItTellsWhatItMayNotSee() throws Exception {
    String schema = database.url().replaceAll(".*currentSchema=", "");
    database.execute("CREATE ROLE plain");
    database.execute("GRANT USAGE ON SCHEMA " + schema + " TO plain");
    database.execute("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO plain");
    database.execute("REVOKE SELECT ON pg_replication_slots FROM public");
    own();
    try (Connection report = openSnapshot()) {
      DatabaseHealth health = health(NONE, config -> config.setConnectionInitSql("SET ROLE plain"));

      assertThat(health.oldest().who()).contains("nightly-report");
      assertThat(health.oldest().age()).isNull();
      assertThat(health.tables()).hasSize(8);
      assertThat(health.unseen())
          .anyMatch(line -> line.contains("nightly-report") && line.contains("pg_read_all_stats"))
          .anyMatch(line -> line.startsWith("replication slots: ") && line.contains("denied"));
      report.rollback();
    } finally {
      database.execute("GRANT SELECT ON pg_replication_slots TO public");
      database.execute("DROP OWNED BY plain; DROP ROLE plain");
    }
  }
}
