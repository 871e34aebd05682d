/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.OutboxSchema;
import io.posthorn.spi.StoreException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Tables of version 1 become those of the next version: by themselves if that was asked for, by SQL
 * that was printed, or not at all, with a sentence that says what to do.
 */
abstract class UpgradeContract extends FreshDatabaseContract {
  private static final Pattern STATEMENT = Pattern.compile("(?m);\\s*$");

  private JdbcMessageStore.Builder next(boolean creates) {
    return database()
        .builder()
        .createTables(creates)
        .dialect(NextVersion.of(database().dialect().name()));
  }

  private String script(String name) {
    return "io/posthorn/jdbc/" + database().dialect().name() + "/" + name;
  }

  private List<String> shapes(String prefix) throws Exception {
    return TableShapes.read(database().dataSource(), prefix);
  }

  private long count(String condition) {
    return database().number("SELECT count(*) FROM outbox_schema WHERE " + condition);
  }

  @Test
  void theStepsFromVersion1GiveTheSameTablesAsTheWholeScript() throws Exception {
    creating().tablePrefix("first_").build().open();
    creating().tablePrefix("steps_").build().open();
    assertThat(next(true).tablePrefix("steps_").build().schema().apply()).containsExactly(2);
    assertThat(next(true).tablePrefix("whole_").build().schema().apply()).containsExactly(2);

    assertThat(shapes("steps_")).isEqualTo(shapes("whole_")).hasSizeGreaterThan(150);
    List<String> added = new ArrayList<>(shapes("steps_"));
    added.removeAll(shapes("first_"));
    assertThat(added).as("column and index").hasSize(2);
    assertThat(next(false).tablePrefix("steps_").build().schema().validate()).isEmpty();
    assertThat(next(false).tablePrefix("whole_").build().schema().validate()).isEmpty();
  }

  @Test
  void olderTablesAreUpgradedAtTheStartIfThatWasAskedFor() throws Exception {
    JdbcMessageStore old = creating().build();
    old.open();
    append(old, "order-1");

    next(true).partitions(99).build().open();

    assertThat(count("version = 1 OR version = 2")).isEqualTo(2);
    assertThat(database().number("SELECT count(*) FROM outbox_message WHERE note IS NULL")).isOne();
    assertThat(database().rows().partitions()).hasSize(64);
    assertThat(next(true).build().schema().apply()).as("again").isEmpty();
    assertThat(next(false).build().schema().foundVersion()).isEqualTo(2);
  }

  @Test
  void olderTablesAreRefusedOtherwiseWithTheScriptToRun() {
    creating().build().open();
    JdbcMessageStore store = next(false).build();

    assertThat(catchThrowableOfType(ConfigurationException.class, store::open).problems())
        .isEqualTo(store.schema().validate())
        .singleElement()
        .asString()
        .contains(
            "version 1",
            "needs version 2",
            "\"" + script("V2__upgrade_outbox.sql") + "\"",
            "createTables(true)");
    assertThat(count("version > 1")).isZero();
  }

  @Test
  void printedSqlCreatesAndUpgradesTheTablesUnderTheirNames() throws Exception {
    OutboxSchema old = finding().tablePrefix("printed_").partitions(7).build().schema();
    OutboxSchema fresh = next(false).tablePrefix("printed_").build().schema();
    assertThat(old.foundVersion()).isZero();
    assertThat(old.neededVersion()).isOne();
    assertThat(fresh.neededVersion()).isEqualTo(2);

    database().execute(old.print());
    assertThat(old.validate()).isEmpty();
    database().execute(fresh.printUpgrade(old.foundVersion()));

    assertThat(fresh.validate()).isEmpty();
    assertThat(fresh.foundVersion()).isEqualTo(2);
    assertThat(fresh.printUpgrade(2)).isEmpty();
    assertThat(finding().tablePrefix("printed_").build().open()).isEqualTo(7);
    database().execute(next(false).tablePrefix("whole_").build().schema().print());
    assertThat(shapes("whole_")).isEqualTo(shapes("printed_"));
    assertThatThrownBy(() -> fresh.printUpgrade(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aProgramForTheVersionBeforeStartsOnTheNextOne() throws Exception {
    next(true).build().open();

    JdbcMessageStore old = creating().build();
    assertThat(old.open()).isEqualTo(64);
    append(old, "order-1");

    assertThat(count("version = 2")).as("left as they are").isOne();
    assertThat(database().number("SELECT count(*) FROM outbox_message")).isOne();
  }

  @Test
  void unlessTheNextOneSaysThatItCannot() {
    next(true).build().open();
    database().execute("UPDATE outbox_schema SET compatible_from = 2 WHERE version = 2");
    JdbcMessageStore old = creating().build();

    assertThat(catchThrowableOfType(ConfigurationException.class, old::open).problems())
        .singleElement()
        .asString()
        .contains("are of version 2", "for version 2 or newer", "is for version 1");
    assertThat(next(false).build().open()).isEqualTo(64);
  }

  private JdbcMessageStore cutOff(String counted, int allowed, Dialect dialect) {
    DataSource cut = new CutDataSource(database().dataSource(), counted, allowed).proxy();
    return JdbcMessageStore.builder(cut).dialect(dialect).createTables(true).build();
  }

  @Test
  void anUpgradeThatWasInterruptedIsCompleted() throws Exception {
    creating().build().open();
    String step = next(false).build().schema().printUpgrade(1);
    int statements = STATEMENT.split(step).length;
    assertThat(statements).isEqualTo(3);

    for (int done = 0; done < statements; done++) {
      JdbcMessageStore store =
          cutOff("note|_type_ix|crc32", done, NextVersion.of(database().dialect().name()));
      assertThatThrownBy(store::open).isInstanceOf(StoreException.class);
      assertThat(next(false).build().schema().foundVersion()).isOne();
    }

    assertThat(next(true).build().open()).isEqualTo(64);
    assertThat(count("version = 1 OR version = 2")).isEqualTo(2);
    assertThat(shapes("outbox_"))
        .filteredOn(line -> line.contains(" note ") || line.contains("1 type"))
        .hasSize(2);
  }

  @Test
  void aCreationThatWasInterruptedIsCompleted() throws Exception {
    JdbcMessageStore store = cutOff("^(CREATE|INSERT)", 12, database().dialect());
    assertThatThrownBy(store::open).isInstanceOf(StoreException.class);
    assertThat(finding().build().schema().validate()).isNotEmpty();

    assertThat(creating().build().open()).isEqualTo(64);
    creating().tablePrefix("at_once_").build().open();
    assertThat(shapes("outbox_")).isEqualTo(shapes("at_once_"));
  }

  @Test
  void aScriptWaitsForThoseWhoUseTheTables() throws Exception {
    creating().build().open();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<List<Integer>> upgrade =
          database()
              .transactions()
              .call(
                  connection -> {
                    try (Statement statement = connection.createStatement()) {
                      statement.execute("DELETE FROM outbox_message WHERE seq = -1");
                    }
                    Future<List<Integer>> running =
                        thread.submit(() -> next(true).build().schema().apply());
                    assertThatThrownBy(() -> running.get(2, TimeUnit.SECONDS))
                        .isInstanceOf(TimeoutException.class);
                    return running;
                  });

      assertThat(upgrade.get(30, TimeUnit.SECONDS)).containsExactly(2);
    } finally {
      thread.shutdownNow();
    }
  }
}
