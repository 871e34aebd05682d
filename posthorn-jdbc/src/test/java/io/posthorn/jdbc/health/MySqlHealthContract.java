/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DatabaseHealth;
import io.posthorn.DatabaseHealth.Topic;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** MySQL and MariaDB. */
abstract class MySqlHealthContract extends HealthScene {
  @Test
  void anOldSnapshotIsFoundWithWhoHoldsIt() throws Exception {
    try (Connection report = session("")) {
      run(report, "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT 1 FROM outbox_message");

      DatabaseHealth health = healthAbout(Topic.OLD_TRANSACTION, NONE);

      assertThat(about(Topic.OLD_TRANSACTION, health))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.found()).contains("of \"root\"", "Sleep");
                assertThat(finding.advice()).containsPattern("KILL \\d+");
              });
      DatabaseHealth patient = health(HOUR);
      assertThat(about(Topic.OLD_TRANSACTION, patient)).isEmpty();
      assertThat(patient.oldest().who()).contains("root");
      run(report, "ROLLBACK");
    }
  }

  @Test
  void aPreparedTransactionWithoutASessionIsFound() throws Exception {
    try (Connection manager = session("")) {
      run(
          manager,
          "XA START 'order-4711'",
          "INSERT INTO outbox_pause (kind, name, paused_at) VALUES ('HANDLER', 'x', UTC_TIMESTAMP(6))",
          "XA END 'order-4711'",
          "XA PREPARE 'order-4711'");
    }
    try {
      DatabaseHealth health = healthAbout(Topic.PREPARED_TRANSACTION, NONE);

      assertThat(about(Topic.PREPARED_TRANSACTION, health))
          .singleElement()
          .satisfies(finding -> assertThat(finding.advice()).contains("XA RECOVER"));
    } finally {
      database.execute("XA ROLLBACK 'order-4711'");
    }
  }

  @Test
  void theHistoryIsMeasuredAndWeakSettingsAreFound() {
    DatabaseHealth health = health(HOUR);

    assertThat(health.historyLength()).isNotNull();
    assertThat(about(Topic.HISTORY_LENGTH, health)).isEmpty();
    assertThat(about(Topic.SETTING, health))
        .as("the servers of the tests are set so")
        .anyMatch(finding -> finding.found().equals("innodb_flush_log_at_trx_commit is 2"));
    assertThat(health.unseen()).isEmpty();
  }

  @Test
  @Tag("long")
  void aLongHistoryIsFound() throws Exception {
    database.execute("CREATE TABLE counter (n int NOT NULL)");
    database.execute("INSERT INTO counter VALUES (0)");
    database.execute(
        """
        CREATE PROCEDURE many_transactions() BEGIN
          WHILE (SELECT n FROM counter) < 101000 DO UPDATE counter SET n = n + 1; END WHILE;
        END
        """);
    try (Connection report = session("")) {
      run(report, "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT 1 FROM outbox_message");
      database.execute("CALL many_transactions()");

      DatabaseHealth health = healthAbout(Topic.HISTORY_LENGTH, HOUR);

      assertThat(health.historyLength()).isGreaterThan(100_000);
      assertThat(about(Topic.HISTORY_LENGTH, health))
          .singleElement()
          .satisfies(
              finding -> assertThat(finding.advice()).contains("end the oldest transaction"));
      run(report, "ROLLBACK");
    }
  }

  @Test
  void floorsThatAreFarBehindAreFound() {
    own();
    assertThat(health(HOUR).floorLag()).isNull();
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, seq, id, type, content_type, occurred_at, created_at)
        VALUES (0, 2000000, x'00', 't', 'text/plain', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """);

    DatabaseHealth health = health(HOUR);

    assertThat(health.floorLag()).isEqualTo(1_999_995);
    assertThat(about(Topic.FLOOR_LAG, health)).hasSize(1);
  }

  @Test
  void sizesAreThoseOfNow() throws Exception {
    long before = messageBytes();
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, content_type, payload, occurred_at, created_at)
        VALUES (0, x'00', 't', 'text/plain', REPEAT('x', 1000000), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """);
    database.execute("ANALYZE TABLE outbox_message");

    assertThat(messageBytes()).isGreaterThan(before + 500_000);
  }

  private long messageBytes() {
    return health(HOUR).tables().stream()
        .filter(table -> table.name().equals("outbox_message"))
        .mapToLong(DatabaseHealth.Table::bytes)
        .sum();
  }

  @Test
  void withoutRightsItTellsWhatItMayNotSee() throws Exception {
    String url = database.url();
    String name = url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
    database.execute("CREATE USER plain");
    database.execute("GRANT SELECT ON " + name + ".* TO plain");
    try (Connection report = session("")) {
      run(report, "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT 1 FROM outbox_message");

      DatabaseHealth health =
          health(
              NONE,
              config ->
                  config.setJdbcUrl(
                      url.replace("user=root", "user=plain")
                          .replace("&createDatabaseIfNotExist=true", "")));

      assertThat(health.tables()).hasSize(8);
      assertThat(health.oldest()).isNull();
      assertThat(health.unseen())
          .anyMatch(line -> line.startsWith("transactions") && line.contains("GRANT PROCESS"));
      run(report, "ROLLBACK");
    } finally {
      database.execute("DROP USER plain");
    }
  }
}
