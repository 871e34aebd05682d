/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreFailuresTest {
  private static final Pattern STATE = Pattern.compile("\\b[0-9A-Z]{2}[0-9A-Zx]{3}\\b");

  private final StoreFailures failures = new StoreFailures(new H2Dialect());

  private static String whole(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void aFailureSaysWhatDidNotHappenAndWhatTheDatabaseSaid() {
    assertThat(failures.of("Nothing purged", new SQLException("cut", "08006")))
        .hasMessage("Nothing purged: cut (SQLSTATE 08006)")
        .matches(failure -> failure.kind() == Kind.UNAVAILABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "08000, UNAVAILABLE",
    "08006, UNAVAILABLE",
    "53300, UNAVAILABLE",
    "57P01, UNAVAILABLE",
    "57P02, UNAVAILABLE",
    "57P03, UNAVAILABLE",
    "22001, CONTENT",
    "23505, CONTENT",
    "25P02, CONTENT",
    "40002, CONTENT",
    "25006, UNKNOWN",
    "25P03, UNKNOWN",
    "40001, UNKNOWN",
    "40P01, UNKNOWN",
    "42501, UNKNOWN",
    "54000, UNKNOWN",
    "55P03, UNKNOWN",
    "57014, UNKNOWN",
    "P0001, UNKNOWN",
    "XX001, UNKNOWN",
    "HYT00, UNKNOWN"
  })
  void theStateDecidesWhoeverHasWrappedIt(String state, Kind kind) {
    SQLException failure = new SQLException("as planned", state);

    assertThat(failures.of("x", failure).kind()).isEqualTo(kind);
    assertThat(failures.kindOf(new IllegalStateException("wrapped", failure))).isEqualTo(kind);
    assertThat(failures.kindOf(new SQLException("without a state", failure))).isEqualTo(kind);
    assertThat(failures.kindOf(new SQLException("general", "HY000", failure))).isEqualTo(kind);
    assertThat(failures.kindOf(following(failure))).isEqualTo(kind);
    assertThat(failures.kindOf(new IllegalStateException(failures.of("x", failure))))
        .isEqualTo(kind);
  }

  /** The table in docs/failures.md: a state or a class of states in each word like 08xxx. */
  private static Map<String, Kind> documented() throws IOException {
    Map<String, Kind> states = new TreeMap<>();
    Files.readAllLines(Path.of("..", "docs", "failures.md")).stream()
        .dropWhile(line -> !line.startsWith("| SQLSTATE |"))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.split("\\|"))
        .forEach(
            cells -> {
              Kind kind = Kind.valueOf(cells[2].strip().toUpperCase(Locale.ROOT));
              Matcher words = STATE.matcher(cells[1]);
              while (words.find()) {
                assertThat(states.put(words.group(), kind)).as(words.group()).isNull();
              }
            });
    return states;
  }

  private Kind kindOfState(String state) {
    return failures.kindOf(new SQLException("as planned", state));
  }

  @Test
  void eachStateIsOfTheKindThatTheTableGives() throws IOException {
    Map<String, Kind> documented = documented();

    assertThat(new HashSet<>(documented.values())).containsExactlyInAnyOrder(Kind.values());
    documented.forEach(
        (states, kind) -> {
          for (String rest : List.of("000", "001", "999")) {
            String state = (states.replace("x", "") + rest).substring(0, 5);
            assertThat(kindOfState(state)).as(states + ": " + state).isEqualTo(kind);
          }
        });
  }

  @Test
  void noOtherStateIsOfAnotherKindThanUnknown() throws IOException {
    List<String> documented =
        documented().keySet().stream().map(states -> states.replace("x", "")).toList();
    List<String> ends = List.of("000", "001", "002", "006", "999", "P01", "P02", "P03", "P05");

    for (int i = 0; i < 36 * 36; i++) {
      String start = Integer.toString(36 * 36 + i, 36).substring(1).toUpperCase(Locale.ROOT);
      for (String state : ends.stream().map(start::concat).toList()) {
        if (documented.stream().noneMatch(state::startsWith)) {
          assertThat(kindOfState(state)).as(state).isEqualTo(Kind.UNKNOWN);
        }
      }
    }
  }

  private static SQLException following(SQLException next) {
    SQLException first = new BatchUpdateException("entry 0 failed", new int[0]);
    first.setNextException(next);
    return first;
  }

  @Test
  void theOutermostStateDecides() {
    SQLException idle = new SQLException("idle for too long", "25P03");
    idle.setNextException(new SQLException("cut", "08006", new IOException("reset")));

    assertThat(failures.kindOf(idle)).isEqualTo(Kind.UNKNOWN);
    assertThat(failures.kindOf(new SQLException("twice", "23505", new IOException("stream"))))
        .isEqualTo(Kind.CONTENT);
  }

  @Test
  void withoutAStateConnectionFailuresAreToldByTheirClass() {
    assertThat(failures.kindOf(new SQLTransientConnectionException("pool used up")))
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(failures.kindOf(new SQLNonTransientConnectionException("closed", "90098")))
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(failures.kindOf(new SQLRecoverableException("cut"))).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failures.kindOf(new SQLException("cut", new SocketException("reset"))))
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(failures.kindOf(new SQLException("no state"))).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void anExhaustedPoolIsNotTakenForADatabaseThatIsAway() {
    assertThat(failures.of("x", new SQLTransientConnectionException("timed out after 300 ms")))
        .hasMessage("x: no free connection in the pool: timed out after 300 ms");
    assertThat(failures.of("x", new SQLException("pool error", new NoSuchElementException())))
        .hasMessage("x: no free connection in the pool: pool error");
    assertThat(failures.of("x", new SQLTransientConnectionException("cut", "08006")))
        .hasMessage("x: cut (SQLSTATE 08006)");
  }

  @Test
  void whatIsNotOfTheDatabaseIsUnknown() {
    assertThat(failures.kindOf(new IOException("another host"))).isEqualTo(Kind.UNKNOWN);
    assertThat(failures.kindOf(new IllegalStateException("bug"))).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void failuresThatCauseEachOtherAreAsked() {
    SQLException one = new SQLException("one");
    SQLException other = new SQLException("other", one);
    one.initCause(other);

    assertThat(failures.kindOf(one)).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void theReasonOfABatchIsTold() {
    SQLException batch = new BatchUpdateException("entry 0 failed", new int[0]);
    batch.setNextException(new SQLException("too long", "22001"));

    StoreException failure = failures.of("x", batch);

    assertThat(failure).hasMessage("x: too long (SQLSTATE 22001)");
    assertThat(failure.kind()).isEqualTo(Kind.CONTENT);
  }

  @Test
  void detailsThatShowTheRowAreLeftOutOfTheCauseToo() {
    SQLException shown =
        new SQLException(
            "ERROR: check violated\n  Detail: Failing row contains (1, secret, \\x736563726574).",
            "23514",
            new SQLException("inner line\nsecret"));
    shown.setNextException(new SQLException("first line\nsecret"));

    assertThat(whole(failures.of("x", shown))).doesNotContain("secret").doesNotContain("7365");
  }

  @Test
  void bytesThatADatabaseQuotesAreLeftOut() {
    SQLException quoted =
        new SQLException(
            "Value too long for column \"PAYLOAD VARBINARY(3)\": \"X'736563726574' (6)\"", "22001");

    assertThat(whole(failures.of("x", quoted)))
        .contains("Value too long for column")
        .doesNotContain("7365");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:nosuch://host/db?user=app&password=hunter2&ssl=true",
        "jdbc:h2:mem:x;USER=sa;PASSWORD=hunter2;MODE=x",
        "jdbc:sqlserver://host;user=sa;pwd = hunter2",
        "jdbc:mysql://app:hunter2@host/db",
        "jdbc:oracle:thin:app/hunter2@//host:1521/db",
        "jdbc:postgresql://host/db?sslpassword=hunter2"
      })
  void credentialsInAUrlAreLeftOut(String url) {
    SQLException failure = new SQLException("No suitable driver found for " + url);

    assertThat(whole(failures.of("x", failure)))
        .contains("No suitable driver found for jdbc:")
        .doesNotContain("hunter2");
  }

  @Test
  void theWayToTheFailureIsKept() {
    SQLException failure = new SQLException("cut", "08006", 7, new IOException("connection reset"));

    StoreException told = failures.of("x", failure);

    assertThat(told.getCause())
        .isInstanceOf(SQLException.class)
        .hasMessage("java.sql.SQLException: cut")
        .hasRootCauseMessage("connection reset");
    assertThat(told.getCause().getStackTrace()).isEqualTo(failure.getStackTrace());
    assertThat(((SQLException) told.getCause()).getSQLState()).isEqualTo("08006");
    assertThat(((SQLException) told.getCause()).getErrorCode()).isEqualTo(7);
  }
}
