/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Survey;
import io.posthorn.Posthorn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A survey of a long backlog reads a few rows of it. */
class SurveyDbTest extends AdminScene {
  private static final int ROWS = 50_000;
  private static final int LIMIT = 20;

  private static final String MESSAGE =
      "partition_no, seq, id, type, message_key, content_type, occurred_at, created_at";
  private static final String VALUES =
      "n %% 64, n, gen_random_uuid(), 'order-placed', 'key', 'text/plain', now(), now()";

  private void fill() {
    fill("message", "", "");
    fill(
        "deferred",
        ", handler, in_lane, reason, attempts, due_at, deferred_at",
        ", 'm', true, 'HELD', 0, now(), now()");
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, 'm', 0 FROM outbox_partition");
    fill("dead", ", handler, attempts, error, died_at", ", 'm', 1, 'x', now()");
  }

  private void fill(String table, String columns, String values) {
    String insert =
        "INSERT INTO outbox_%s (%s%s) SELECT " + VALUES + "%s FROM generate_series(1, %d) AS n";
    database.execute(insert.formatted(table, MESSAGE, columns, values, ROWS));
    database.execute("ANALYZE outbox_" + table);
  }

  @Test
  void eachCountIsAShortRangeOfThePrimaryKey() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    publisher = Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    fill();

    Survey survey = publisher.admin().survey(LIMIT);

    assertThat(survey.ready()).hasSize(64).allMatch(ready -> ready.messages() == LIMIT);
    assertThat(survey.deferred()).containsExactly(waiting());
    assertThat(survey.dead()).containsExactly(waiting());
    assertThat(survey.capped()).isTrue();
    assertShort("outbox_message", explain(recorded, "FROM outbox_message"));
    assertShort("outbox_deferred", explain(recorded, "type, reason FROM outbox_deferred"));
    assertShort("outbox_dead", explain(recorded, "FROM outbox_dead"));
  }

  private static Survey.Waiting waiting() {
    return new Survey.Waiting("m", "order-placed", 64L * LIMIT);
  }

  private static void assertShort(String table, String plan) {
    assertThat(plan)
        .containsPattern("Index Scan( Backward)? using " + table + "_pkey")
        .doesNotContain("Seq Scan on " + table + " ")
        .doesNotContain("Bitmap");
  }

  /** As the survey runs it: with what is sent before the query, and the parameters in place. */
  private String explain(RecordedStatements recorded, String text) throws Exception {
    List<String> found = recorded.containing(text);
    assertThat(found).hasSize(1);
    String[] parts = found.get(0).split(";\n", 2);
    assertThat(parts).as(found.get(0)).hasSize(2);
    String query =
        parts[1]
            .replace("?::smallint[]", "ARRAY[1, 2, 3]::smallint[]")
            .replace("?::text[]", "ARRAY['m', 'm', 'm']::text[]")
            .replace("?", Integer.toString(LIMIT));
    StringBuilder plan = new StringBuilder();
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      try (Statement settings = connection.createStatement()) {
        settings.execute(parts[0]);
      }
      try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + query);
          ResultSet rows = explain.executeQuery()) {
        while (rows.next()) {
          plan.append(rows.getString(1)).append('\n');
        }
      }
      connection.rollback();
    }
    return plan.toString();
  }
}
