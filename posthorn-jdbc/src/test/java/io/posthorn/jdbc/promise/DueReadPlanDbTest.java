/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.admin.RecordedStatements;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Statistics count a few rows in the deferred table, and no dead ones. By them a sort of all that
 * is due looks as cheap as the first of them by the index, but it would read all dead rows as well.
 * See docs/why/0008.
 */
class DueReadPlanDbTest extends OneDatabase {
  private static final int FEW = 11;
  private static final int MANY = 50_000;

  @BeforeEach
  void leaveFewOfMany() {
    database.execute("ALTER TABLE outbox_deferred SET (autovacuum_enabled = false)");
    database.execute(
        "INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) VALUES (3, '%s', 1)"
            .formatted(HANDLER));
    defer(1, FEW);
    defer(FEW + 1, MANY);
    database.execute("DELETE FROM outbox_deferred WHERE seq > " + FEW);
    database.execute("ANALYZE outbox_deferred");
  }

  private void defer(int firstSeq, int count) {
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, message_key, content_type, payload, occurred_at, created_at,
               in_lane, reason, attempts, due_at, deferred_at)
        SELECT 3, i, '%s', gen_random_uuid(), '%s', 'k' || i, 'application/json', '{}', now(), now(),
               TRUE, 'RETRYING', 1, now() - interval '1 hour' + i * interval '1 millisecond', now()
          FROM generate_series(%d, %d) AS i
        """
            .formatted(HANDLER, TYPE, firstSeq, firstSeq + count - 1));
  }

  /** What the store sends to read what is due: settings, and the read itself. */
  private String[] sent() {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    JdbcMessageStore recording =
        JdbcMessageStore.builder(recorded.dataSource()).dialect(database.dialect()).build();
    recording.open();
    try (RelayStore relay = recording.relay(Duration.ofSeconds(30))) {
      DueRequest.Heads slice = new DueRequest.Heads(3, HANDLER, 100);
      int rows =
          relay
              .readDue(new DueRequest(List.of(slice), List.of(), 64, 1_000, 1 << 20))
              .rows()
              .size();
      assertThat(rows).isEqualTo(FEW);
    }
    List<String> reads = recorded.containing("AS s(part, name, most)");
    assertThat(reads).hasSize(1);
    return reads.get(0).split(";\n");
  }

  /** The plan that the server makes once for all executions. */
  private String plan(List<String> settings, String read) throws SQLException {
    String[] parts = read.split("\\?", -1);
    StringBuilder numbered = new StringBuilder(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      numbered.append('$').append(i).append(parts[i]);
    }
    String nulls = "NULL" + ", NULL".repeat(parts.length - 2);
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String setting : settings) {
        statement.execute(setting);
      }
      statement.execute("PREPARE due_read AS " + numbered);
      try (ResultSet lines = statement.executeQuery("EXPLAIN EXECUTE due_read(" + nulls + ")")) {
        StringBuilder plan = new StringBuilder();
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
        return plan.toString();
      } finally {
        connection.rollback();
        statement.execute("DEALLOCATE due_read");
        connection.rollback();
      }
    }
  }

  @Test
  void whatIsDueIsReadInTheOrderOfTheIndex() throws Exception {
    String[] sent = sent();
    List<String> settings = List.of(sent).subList(0, sent.length - 1);
    String read = sent[sent.length - 1];

    assertThat(plan(settings, read)).doesNotContain("Sort").contains("outbox_deferred_due_ix");

    String sortsAllowed =
        settings.stream()
            .map(setting -> setting.replaceAll("set_config\\('enable_sort', 'off', true\\)", "1"))
            .map(
                setting ->
                    setting.replaceAll("'enable_bitmapscan', 'off'", "'enable_bitmapscan', 'on'"))
            .collect(Collectors.joining());
    assertThat(plan(List.of(sortsAllowed), read)).as("otherwise").contains("Sort");
  }
}
