/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Long lists are read page by page, and changed batch by batch. */
class AdminPagesDbTest extends AdminScene {
  private static final int LETTERS = 2_500;

  /** Pairs of them share a seq, and one in five has another error. */
  private void insertDeadLetters(int count) {
    database.execute(
        """
        INSERT INTO outbox_dead (partition_no, seq, handler, id, type, message_key, content_type, payload,
                                 occurred_at, created_at, attempts, error, died_at)
        SELECT (n / 2) %% 64, 1 + n / 2, CASE n %% 2 WHEN 0 THEN 'audit' ELSE 'mailer' END, gen_random_uuid(),
               'order-placed', 'key-' || n %% 7, 'text/plain', convert_to(repeat('x', 300), 'UTF8'),
               now(), now(), 3, CASE n %% 5 WHEN 0 THEN 'timeout' ELSE 'refused' END, now()
          FROM generate_series(0, %d) AS n
        """
            .formatted(count - 1));
    database.execute("ANALYZE outbox_dead");
  }

  private List<EntryId> walk(Filter filter, int limit) {
    List<EntryId> met = new ArrayList<>();
    @Nullable String cursor = null;
    do {
      Page<Admin.DeadLetter> page = admin().deadLetters(filter, cursor, limit);
      page.items().forEach(letter -> met.add(letter.id()));
      cursor = page.cursor();
      assertThat(page.items().size() == limit || cursor == null).isTrue();
    } while (cursor != null);
    return met;
  }

  @Test
  void everyLetterOfALongListIsMetOnce() {
    insertDeadLetters(LETTERS);

    assertThat(walk(Filter.all(), 1_000))
        .hasSize(LETTERS)
        .doesNotHaveDuplicates()
        .extracting(EntryId::seq)
        .isSorted();
    assertThat(walk(Filter.all(), 333)).hasSize(LETTERS).doesNotHaveDuplicates();
    assertThat(walk(Filter.all().errorContains("time").handler("audit"), 100))
        .hasSize(LETTERS / 10)
        .doesNotHaveDuplicates();
    assertThat(admin().countDeadLetters(Filter.all().errorContains("time"))).isEqualTo(LETTERS / 5);
  }

  @Test
  void allThatMatchAreRetriedInBatches() {
    insertDeadLetters(LETTERS);

    assertThat(admin().retryAll(Filter.all().errorContains("refused"))).isEqualTo(LETTERS / 5 * 4);

    assertThat(admin().countDeadLetters(Filter.all())).isEqualTo(LETTERS / 5);
    assertThat(admin().countDeferred(Filter.all())).isEqualTo(LETTERS / 5 * 4);
    assertThat(admin().countDeferred(Filter.all().errorContains("refused")))
        .as("the last error is kept")
        .isEqualTo(LETTERS / 5 * 4);
  }

  @Test
  void manyIdsAreDealtWithInBatches() {
    insertDeadLetters(LETTERS);

    assertThat(admin().delete(walk(Filter.all(), 1_000))).isEqualTo(LETTERS);

    assertThat(admin().countDeadLetters(Filter.all())).isZero();
  }

  @Test
  void aPageIsARangeOfThePrimaryKey() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    publisher =
        io.posthorn.Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    insertDeadLetters(50_000);

    Page<Admin.DeadLetter> first = admin().deadLetters(Filter.all(), null, 100);
    admin().deadLetters(Filter.all(), first.cursor(), 100);

    List<String> pages = recorded.containing("FROM outbox_dead");
    assertThat(pages).hasSize(2);
    assertPrimaryKeyOnly(explain(pages.get(0), 101));
    assertPrimaryKeyOnly(explain(pages.get(1), 12_345L, "mailer", 101));
  }

  private static void assertPrimaryKeyOnly(String plan) {
    assertThat(plan)
        .contains("Index Scan using outbox_dead_pkey")
        .doesNotContain("Sort")
        .doesNotContain("Seq Scan on outbox_dead");
  }

  private String explain(String sql, Object... parameters) throws Exception {
    StringBuilder plan = new StringBuilder();
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql)) {
      for (int i = 0; i < parameters.length; i++) {
        explain.setObject(i + 1, parameters[i]);
      }
      try (ResultSet rows = explain.executeQuery()) {
        while (rows.next()) {
          plan.append(rows.getString(1)).append('\n');
        }
      }
    }
    return plan.toString();
  }
}
