/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcTransactions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The table is created if that is wanted, and checked. */
abstract class InboxTableContract {
  private TestDatabase database;

  abstract TestDatabase database();

  @BeforeEach
  void open() {
    database = database();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private boolean handle(InboxTable table) {
    return Inbox.on(table, database.transactions()).once("warehouse", "m-1", () -> {});
  }

  @Test
  void aMissingTableIsToldWithItsScript() {
    assertThatThrownBy(() -> database.table().createTables(false).build().open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("there is no \"inbox_message\"")
        .hasMessageContaining("V1__create_inbox.sql")
        .hasMessageContaining("createTables(true)");
  }

  @Test
  void aTableThatIsThereIsKeptWithWhatItHolds() {
    assertThat(handle(database.table().build())).isTrue();
    assertThat(handle(database.table().build())).isFalse();
    assertThat(handle(database.table().createTables(false).build())).isFalse();
  }

  @Test
  void inboxesWithOtherPrefixesOrSchemasKnowNothingOfEachOther() {
    database.execute("CREATE SCHEMA sales");

    assertThat(handle(database.table().build())).isTrue();
    assertThat(handle(database.table().tablePrefix("shop_in_").build())).isTrue();
    assertThat(handle(database.table().schema("sales").build())).isTrue();
    assertThat(database.number("SELECT count(*) FROM shop_in_message")).isOne();
    assertThat(database.number("SELECT count(*) FROM sales.inbox_message")).isOne();
  }

  @Test
  void inboxesThatShareACacheKnowNothingOfEachOther() {
    MapCache cache = new MapCache();
    database.execute("CREATE SCHEMA sales");
    try (TestDatabase other = database()) {
      assertThat(handle(database, database.table().build(), cache)).isTrue();
      assertThat(handle(database, database.table().schema("sales").build(), cache)).isTrue();
      assertThat(handle(other, other.table().build(), cache)).isTrue();
    }
    assertThat(cache.entries()).containsExactly("warehouse/m-1");
  }

  private static boolean handle(TestDatabase database, InboxTable table, InboxCache cache) {
    return Inbox.builder(table, database.transactions())
        .cache(cache)
        .build()
        .once("warehouse", "m-1", () -> {});
  }

  @Test
  void aTableWithoutTheKeyIsRefused() {
    database.execute(
        "CREATE TABLE inbox_message (consumer varchar(100), message_id varchar(255), received_at date)");

    assertThatThrownBy(() -> database.table().build().open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("its primary key is not (consumer, message_id)");
  }

  @Test
  void anotherTableOfThatNameIsRefused() {
    database.execute("CREATE TABLE inbox_message (consumer varchar(100))");

    assertThatThrownBy(() -> database.table().build().open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("table \"inbox_message\" does not fit");
  }

  @Test
  void namesThatAreNoIdentifiersAreRefused() {
    assertThatThrownBy(() -> database.table().tablePrefix("a b").schema("x;").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("inbox.table-prefix was \"a b\"")
        .hasMessageContaining("inbox.schema was \"x;\"");
  }

  @Test
  void transactionsOnAnotherDataSourceAreRefused() {
    try (TestDatabase other = TestDatabase.h2()) {
      JdbcTransactions elsewhere = other.transactions();

      assertThatThrownBy(() -> Inbox.on(database.table().build(), elsewhere))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("different data sources");
    }
  }
}
