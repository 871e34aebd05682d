/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings are refused before a database is touched. */
class StoreSettingsTest {
  private static final TestDatabase DATABASE =
      TestDatabase.h2("", config -> config.setMinimumIdle(0));

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "1st_",
        "a-b_",
        "a.b_",
        "a b_",
        "ü_",
        "İ_",
        "a\"_",
        "a'_",
        "a`_",
        "a;_",
        "a$_",
        "a\n",
        "a_\0",
        "x; DROP TABLE orders; --",
        "x\" WHERE 1=1 --",
        "outbox_message m, secrets s --",
        "abcdefghijklmnopqrstuvwxyz_1234"
      })
  void prefixThatIsNoIdentifierIsRefused(String prefix) {
    assertThatThrownBy(() -> DATABASE.builder().tablePrefix(prefix).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.table-prefix was \"" + prefix + "\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "1st",
        "a-b",
        "a.b",
        "a b",
        "ü",
        "a\"",
        "a'",
        "a;",
        "a\n",
        "public; DROP SCHEMA public CASCADE; --",
        "public.secrets --",
        "a234567890123456789012345678901234567890123456789012345678901234"
      })
  void schemaThatIsNoIdentifierIsRefused(String schema) {
    assertThatThrownBy(() -> DATABASE.builder().schema(schema).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.schema was \"" + schema + "\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1025, Integer.MAX_VALUE})
  void numberOfPartitionsOutOfRangeIsRefused(int partitions) {
    assertThatThrownBy(() -> DATABASE.builder().partitions(partitions).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.partitions was " + partitions)
        .hasMessageContaining("between 1 and 1024");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a.b", "1st", "x; DROP TABLE orders; --", "a\"", "ü"})
  void tableNameThatIsNoIdentifierIsRefused(String name) {
    assertThatThrownBy(() -> DATABASE.builder().table("message", name).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.tables.message was \"" + name + "\"");
  }

  @Test
  void tableThatDoesNotExistIsRefused() {
    assertThatThrownBy(() -> DATABASE.builder().table("mesage", "x").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.tables.mesage is no table of the outbox; there are message,");
  }

  @Test
  void twoTablesOfOneNameAreRefused() {
    assertThatThrownBy(() -> DATABASE.builder().table("dead", "Outbox_History").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store.tables.dead and store.tables.history have the same name");
  }

  @Test
  void allProblemsAreReportedTogether() {
    JdbcMessageStore.Builder builder =
        DATABASE.builder().tablePrefix("a-b").schema("c d").partitions(0);

    assertThat(catchThrowableOfType(ConfigurationException.class, builder::build).problems())
        .hasSize(3);
  }
}
