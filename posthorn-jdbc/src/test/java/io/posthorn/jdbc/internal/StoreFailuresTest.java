/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.spi.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreFailuresTest {
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
        .matches(failure -> !failure.isRefused());
  }

  @Test
  void contentThatTheDatabaseRefusesIsToldApart() {
    assertThat(failures.of("x", new SQLException("too long", "22001")).isRefused()).isTrue();
    assertThat(failures.of("x", new SQLException("twice", "23505")).isRefused()).isTrue();
    assertThat(failures.of("x", new SQLException("no state")).isRefused()).isFalse();
  }

  @Test
  void theReasonOfABatchIsTold() {
    SQLException batch = new BatchUpdateException("entry 0 failed", new int[0]);
    batch.setNextException(new SQLException("too long", "22001"));

    StoreException failure = failures.of("x", batch);

    assertThat(failure).hasMessage("x: too long (SQLSTATE 22001)");
    assertThat(failure.isRefused()).isTrue();
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
