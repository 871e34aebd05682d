/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.OldestPostgres;
import io.posthorn.jdbc.fixture.ShippedScripts;
import io.posthorn.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The script that divides the history table by day. */
class PartitionedHistoryScriptDbTest extends FreshDatabaseContract {
  private static final String SCRIPT = ShippedScripts.read("postgresql/partitioned_history.sql");
  private static final String DAILY = SCRIPT.substring(SCRIPT.indexOf("DO $$"));
  private static final String PARTITIONS =
      "SELECT count(*) FROM pg_inherits WHERE inhparent = 'outbox_history'::regclass";

  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(OldestPostgres.shared(), config -> config.setMinimumIdle(1));
  }

  @BeforeEach
  void createTables() {
    creating().build().open();
  }

  /** Keeps one message as delivered so many days after today. */
  private void keep(int days) {
    database()
        .execute(
            """
            INSERT INTO outbox_history (partition_no, seq, handler, id, type, content_type, occurred_at, created_at, delivered_at)
            VALUES (0, nextval('outbox_seq'), 'mailer', gen_random_uuid(), 't', 'text/plain', now(), now(),
                    now() + %d * interval '1 day')
            """
                .formatted(days));
  }

  private long rows(String table) {
    return database().number("SELECT count(*) FROM " + table);
  }

  @Test
  void rowsThatWereKeptBeforeStay() {
    keep(-3);
    keep(0);

    database().execute(SCRIPT);

    assertThat(rows("outbox_history")).isEqualTo(2);
    assertThat(finding().build().open()).isEqualTo(64);
  }

  @Test
  void columnsKeysIndexesAndChecksAreThoseOfThePlainTable() throws Exception {
    creating().tablePrefix("plain_").build().open();

    database().execute(SCRIPT);

    assertThat(TableShapes.read(database().dataSource(), "outbox_"))
        .isEqualTo(TableShapes.read(database().dataSource(), "plain_"));
  }

  @Test
  void eachDayHasAPartitionThatCanBeDropped() {
    database().execute(SCRIPT);
    keep(0);
    keep(1);
    keep(30);
    assertThat(rows("outbox_history_rest")).as("far ahead").isEqualTo(1);

    database()
        .execute(
            "DO $$ BEGIN EXECUTE 'DROP TABLE outbox_history_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD'); END $$");

    assertThat(rows("outbox_history")).isEqualTo(2);
  }

  @Test
  void theDailyStatementMayRunAgainAndGetsOverDaysThatWereMissed() {
    database().execute(SCRIPT);
    long partitions = database().number(PARTITIONS);
    database().execute(DAILY);
    assertThat(database().number(PARTITIONS)).isEqualTo(partitions);

    database()
        .execute(
            "DO $$ BEGIN EXECUTE 'DROP TABLE outbox_history_' || to_char(now() AT TIME ZONE 'UTC' + interval '1 day', 'YYYYMMDD') || ', outbox_history_' || to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'YYYYMMDD'); END $$");
    keep(1);
    database().execute(DAILY);

    assertThat(database().number(PARTITIONS)).isEqualTo(partitions - 1);
  }
}
