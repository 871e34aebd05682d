/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.JdbcMessageStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables that do not fit are refused, with what was found and what to do. */
abstract class SchemaProblemsContract extends FreshDatabaseContract {
  private static List<String> problems(JdbcMessageStore.Builder builder) {
    JdbcMessageStore store = builder.build();
    return catchThrowableOfType(ConfigurationException.class, store::open).problems();
  }

  private void createdThen(String change) {
    creating().build().open();
    database().execute(change);
  }

  @Test
  void missingTablesAreRefusedWithTheScriptToRun() {
    assertThat(problems(finding()))
        .singleElement()
        .asString()
        .contains(
            "\"outbox_schema\"",
            "io/posthorn/jdbc/" + database().dialect().name() + "/V1__create_outbox.sql",
            "createTables(true)");
  }

  @Test
  void tablesUnderAnotherPrefixAreMissing() {
    creating().tablePrefix("orders_").build().open();

    assertThat(problems(finding().tablePrefix("bills_")))
        .singleElement()
        .asString()
        .contains("\"bills_schema\"");
  }

  @Test
  void tablesInAnotherSchemaAreMissing() {
    database().createSchema("a_b");
    database().createSchema("axb");
    creating().schema("axb").build().open();
    creating().build().open();

    assertThat(problems(finding().schema("a_b")))
        .singleElement()
        .asString()
        .contains("missing", "\"a_b.outbox_schema\"");
  }

  @Test
  void underscoreOfAPrefixStandsForItself() {
    creating().tablePrefix("axb").build().open();

    assertThat(problems(finding().tablePrefix("a_b")))
        .singleElement()
        .asString()
        .contains("missing");
  }

  @Test
  void tablesOfANewerVersionThatIsNotCompatibleAreRefused() {
    createdThen(
        "INSERT INTO outbox_schema (version, key_hash, compatible_from) VALUES (7, 'crc32', 2)");

    assertThat(problems(finding()))
        .singleElement()
        .asString()
        .contains("version 7", "for version 2 or newer", "is for version 1", "use a newer one");
  }

  @Test
  void unknownKeyHashIsRefused() {
    createdThen("UPDATE outbox_schema SET key_hash = 'murmur3'");

    assertThat(problems(finding())).singleElement().asString().contains("\"murmur3\"", "\"crc32\"");
  }

  @Test
  void eachTableThatDoesNotFitIsNamedAndNoOther() {
    creating().build().open();
    for (String view : List.of("ready", "deferred", "dead", "history", "partition")) {
      database().execute("DROP VIEW outbox_" + view + "_view");
    }
    assertThat(finding().build().open()).as("without views").isEqualTo(64);
    database().execute("ALTER TABLE outbox_deferred DROP COLUMN last_error");
    database().execute("ALTER TABLE outbox_instance DROP COLUMN handlers");
    database().execute("DROP TABLE outbox_dead");

    List<String> problems = problems(finding());

    assertThat(problems).hasSize(3);
    assertThat(problems.get(0)).contains("\"outbox_deferred\"", "does not fit", "shipped script");
    assertThat(problems.get(1)).contains("\"outbox_dead\"");
    assertThat(problems.get(2)).contains("\"outbox_instance\"");
  }

  @Test
  void gapInThePartitionNumbersIsRefused() {
    createdThen("DELETE FROM outbox_partition WHERE partition_no = 7");

    assertThat(problems(finding()))
        .singleElement()
        .asString()
        .contains("\"outbox_partition\"", "63 rows", "without a gap");
  }

  @Test
  void partitionNumbersThatDoNotBeginWithZeroAreRefused() {
    createdThen("DELETE FROM outbox_partition WHERE partition_no = 0");

    assertThat(problems(finding())).singleElement().asString().contains("\"outbox_partition\"");
  }

  @Test
  void tableWithoutPartitionsIsRefused() {
    createdThen("DELETE FROM outbox_partition");

    assertThat(problems(finding())).singleElement().asString().contains("0 rows");
  }
}
