/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.ShippedScripts;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the tables cannot do without, as PostgreSQL's catalogue has it: the script and automatic
 * creation could otherwise lose it together. Issue 17, "Must hold" 8.
 */
class PostgresCatalogueDbTest {
  private final TestDatabase database = TestDatabase.postgres();

  @AfterEach
  void close() {
    database.close();
  }

  private void create(boolean byScript) {
    if (byScript) {
      database.execute(ShippedScripts.read("postgresql/V1__create_outbox.sql"));
    } else {
      database.builder().build().open();
    }
  }

  private List<String> ask(String sql, String table) throws Exception {
    List<String> answers = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, table);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          answers.add(rows.getString(1));
        }
      }
    }
    return answers;
  }

  /** The columns of each index of a table, and the condition of those that are partial. */
  private List<String> indexes(String table) throws Exception {
    return ask(
        """
        SELECT substring(pg_get_indexdef(i.indexrelid) FROM '\\(.*$')
          FROM pg_index i WHERE i.indrelid = ?::regclass AND i.indisvalid ORDER BY 1
        """,
        table);
  }

  private List<String> options(String table) throws Exception {
    return ask("SELECT unnest(reloptions) FROM pg_class WHERE oid = ?::regclass ORDER BY 1", table);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void indexesAreThose(boolean byScript) throws Exception {
    create(byScript);

    assertThat(indexes("outbox_message")).containsExactly("(partition_no, seq)");
    assertThat(indexes("outbox_deferred"))
        .containsExactlyInAnyOrder(
            "(partition_no, handler, seq)",
            "(partition_no, handler, message_key, seq) WHERE in_lane",
            "(partition_no, handler, due_at, seq) WHERE (due_at IS NOT NULL)",
            "(partition_no, reason, handler, type, seq) WHERE ((reason)::text = ANY ((ARRAY['ELSEWHERE'::character varying, 'UNCLAIMED'::character varying])::text[]))");
    assertThat(indexes("outbox_dead"))
        .containsExactlyInAnyOrder(
            "(seq, handler)", "(handler, seq)", "(message_key, seq, handler)", "(id)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tablesWhoseRowsComeAndGoAreVacuumedEarly(boolean byScript) throws Exception {
    create(byScript);

    for (String table : List.of("outbox_message", "outbox_deferred")) {
      assertThat(options(table))
          .as(table)
          .containsExactly(
              "autovacuum_vacuum_cost_delay=0",
              "autovacuum_vacuum_scale_factor=0.0",
              "autovacuum_vacuum_threshold=20000");
    }
  }
}
