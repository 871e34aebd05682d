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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Long lists are read page by page, and changed batch by batch. */
class AdminPagesDbTest extends AdminScene {
  private static final int LETTERS = 2_500;

  private List<EntryId> walk(Filter filter, int limit) {
    List<EntryId> met = new ArrayList<>();
    @Nullable String cursor = null;
    do {
      Page<Admin.DeadLetter> page = admin().deadLetters().page(filter, cursor, limit);
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
    assertThat(admin().deadLetters().count(Filter.all().errorContains("time")).entries())
        .isEqualTo(LETTERS / 5);
  }

  @Test
  void allThatMatchAreRetriedInBatches() {
    insertDeadLetters(LETTERS);

    assertThat(admin().deadLetters().retryAll(Filter.all().errorContains("refused")))
        .isEqualTo(LETTERS / 5 * 4);

    assertThat(admin().deadLetters().count(Filter.all()).entries()).isEqualTo(LETTERS / 5);
    assertThat(admin().deferred().count(Filter.all()).entries()).isEqualTo(LETTERS / 5 * 4);
    assertThat(admin().deferred().count(Filter.all().errorContains("refused")).entries())
        .as("the last error is kept")
        .isEqualTo(LETTERS / 5 * 4);
  }

  @Test
  void manyIdsAreDealtWithInBatches() {
    insertDeadLetters(LETTERS);

    assertThat(admin().deadLetters().delete(walk(Filter.all(), 1_000))).isEqualTo(LETTERS);

    assertThat(admin().deadLetters().count(Filter.all()).entries()).isZero();
  }

  @Test
  void aPageIsARangeOfThePrimaryKey() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    publisher =
        io.posthorn.Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    insertDeadLetters(50_000);

    Page<Admin.DeadLetter> first = admin().deadLetters().page(Filter.all(), null, 100);
    admin().deadLetters().page(Filter.all(), first.cursor(), 100);

    List<String> pages = recorded.containing("FROM outbox_dead");
    assertThat(pages).hasSize(2);
    assertPrimaryKeyOnly(explain("", pages.get(0), 101));
    assertPrimaryKeyOnly(explain("", pages.get(1), 12_345L, 12_345L, "mailer", 101));
  }

  @Test
  void aSearchThatFindsNothingGoesOnPageByPage() {
    insertDeadLetters(12_000);

    Page<Admin.DeadLetter> first =
        admin().deadLetters().page(Filter.all().errorContains("nowhere"), null, 100);

    assertThat(first.items()).isEmpty();
    assertThat(first.cursor()).as("there is more to search").isNotNull();
    List<Filter> filters =
        List.of(
            Filter.all().errorContains("nowhere"),
            Filter.all().errorContains("time"),
            Filter.all().type("order-placed").to(Instant.EPOCH),
            Filter.all().errorContains("time").handler("audit"));
    assertThat(filters.stream().map(this::found)).containsExactly(0, 2_400, 0, 1_200);
    assertThat(admin().deadLetters().count(filters.get(1))).isEqualTo(new Admin.Count(2_400, true));
  }

  private int found(Filter filter) {
    List<EntryId> met = new ArrayList<>();
    @Nullable String cursor = null;
    int pages = 0;
    do {
      Page<Admin.DeadLetter> page = admin().deadLetters().page(filter, cursor, 1_000);
      page.items().forEach(letter -> met.add(letter.id()));
      cursor = page.cursor();
      pages++;
    } while (cursor != null && pages < 100);
    assertThat(met).doesNotHaveDuplicates();
    return met.size();
  }

  @Test
  void noStatementOfASearchReadsMoreThanItsShare() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    publisher =
        io.posthorn.Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    insertDeadLetters(50_000);

    Page<Admin.DeadLetter> first =
        admin().deadLetters().page(Filter.all().errorContains("nowhere"), null, 100);
    admin().deadLetters().page(Filter.all().errorContains("nowhere"), first.cursor(), 100);
    admin().deadLetters().groups(null);
    admin().deadLetters().groups("audit");

    List<String> statements = recorded.containing("FROM outbox_dead");
    assertThat(statements).hasSize(6);
    String end = explain("(ANALYZE) ", statements.get(2), 2_500L, 2_500L, "mailer");
    assertThat(end).contains("using outbox_dead_pkey").doesNotContain("Seq Scan on outbox");
    assertThat(rowsRead(end)).isLessThanOrEqualTo(5_000);
    String page =
        explain(
            "(ANALYZE) ",
            statements.get(3),
            "%nowhere%",
            2_500L,
            2_500L,
            "mailer",
            5_000L,
            5_000L,
            "mailer",
            101);
    assertThat(page).contains("using outbox_dead_pkey").doesNotContain("Seq Scan on outbox");
    assertThat(rowsRead(page)).isLessThanOrEqualTo(5_000);
    assertThat(explain("", statements.get(4), 5_001))
        .contains("Index Scan Backward using outbox_dead_pkey")
        .doesNotContain("Sort");
    assertThat(explain("", statements.get(5), "audit", 5_001))
        .contains("Index Scan Backward")
        .doesNotContain("Seq Scan on outbox");
  }

  /** Rows of the lowest node, with those that a filter passed over. */
  private static int rowsRead(String plan) {
    Matcher rows = Pattern.compile("actual time=\\S+ rows=(\\d+)").matcher(plan);
    Matcher removed = Pattern.compile("Rows Removed by Filter: (\\d+)").matcher(plan);
    int read = 0;
    while (rows.find()) {
      read = Math.max(read, Integer.parseInt(rows.group(1)));
    }
    return read + (removed.find() ? Integer.parseInt(removed.group(1)) : 0);
  }

  @Test
  void keysAndIdsAreFoundByTheirIndexes() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    publisher =
        io.posthorn.Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    insertDeadLetters(50_000);
    UUID id = admin().deadLetters().page(Filter.all(), null, 1).items().get(0).messageId();

    assertThat(admin().deadLetters().page(Filter.all().key("key-7"), null, 100).items())
        .hasSize(10);
    assertThat(admin().deadLetters().page(Filter.all().messageId(id), null, 100).items())
        .hasSize(1);

    List<String> pages = recorded.containing("FROM outbox_dead");
    assertThat(explain("", pages.get(1), "key-7", 101)).contains("outbox_dead_key_ix");
    assertThat(explain("", pages.get(2), id, 101)).contains("outbox_dead_id_ix");
  }

  private static void assertPrimaryKeyOnly(String plan) {
    assertThat(plan)
        .contains("Index Scan using outbox_dead_pkey")
        .doesNotContain("Sort")
        .doesNotContain("Seq Scan on outbox_dead");
  }

  private String explain(String options, String sql, Object... parameters) throws Exception {
    StringBuilder plan = new StringBuilder();
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement explain = connection.prepareStatement("EXPLAIN " + options + sql)) {
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
