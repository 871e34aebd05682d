/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.jdbc.H2Dialect;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection is given back when the first calls on it fail. Issue 17, m. */
class ConnectionLeakTest {
  private final BrokenConnections connections = new BrokenConnections();
  private final HeldConnection held =
      new HeldConnection(
          "settle",
          new ConnectionSource(connections.dataSource()),
          new StoreFailures(new H2Dialect()),
          Duration.ofSeconds(10));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "getAutoCommit",
        "getTransactionIsolation",
        "getNetworkTimeout",
        "setAutoCommit",
        "setNetworkTimeout"
      })
  void aDutysConnectionThatCannotBePreparedIsGivenBack(String method) {
    connections.failAt(method);

    StoreException failure = catchThrowableOfType(StoreException.class, held::open);

    assertThat(failure.kind()).as("no connection to be had").isEqualTo(Kind.UNAVAILABLE);
    assertThat(connections.open()).isZero();
    connections.failAt("");
    held.open();
    assertThat(connections.open()).isOne();
    held.close();
    assertThat(connections.open()).isZero();
  }

  /**
   * Some of the other calls are statements: the server may have gone since it took the connection.
   */
  @Test
  void aDutysConnectionIsBoundedBeforeAllElseAndUntilAllElseIsDone() { // issue 18, B1
    held.open();
    assertThat(connections.calls()).startsWith("getNetworkTimeout", "setNetworkTimeout");

    held.close();
    assertThat(connections.calls()).endsWith("setNetworkTimeout", "close");
  }

  @Test
  void aDutysConnectionOutlivesWhatTheDatabaseRefusesAndTheFirstFailuresOfUnknownReason() {
    fail(new SQLException("too long", "22001"));
    fail(new SQLException("by a trigger", "P0001"));
    held.call(Connection::isClosed);
    fail(new SQLException("by a trigger", "P0001"));
    fail(new SQLException("by a trigger", "P0001"));
    assertThat(connections.open()).isOne();

    fail(new SQLException("for the third time", "26000"));
    assertThat(connections.open()).as("a failure of the session, perhaps").isZero();
    held.open();
    fail(new SQLException("cut", "08006"));
    assertThat(connections.open()).isZero();
  }

  private void fail(SQLException failure) {
    assertThatThrownBy(
            () ->
                held.call(
                    connection -> {
                      throw failure;
                    }))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void aDutysConnectionThatCannotRollBackIsReplaced() {
    connections.failAt("rollback");

    assertThatThrownBy(
            () ->
                held.inTransaction(
                    Optional.empty(),
                    connection -> {
                      throw new SQLException("too long", "22001");
                    }))
        .hasMessageContaining("too long");

    assertThat(connections.open()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"getAutoCommit", "setAutoCommit"})
  void aTransactionThatCannotBeginGivesItsConnectionBack(String method) {
    JdbcTransactions transactions = new JdbcTransactions(connections.dataSource());
    connections.failAt(method);

    assertThatThrownBy(transactions::begin).isInstanceOf(SQLException.class);
    assertThat(connections.open()).isZero();
    assertThatThrownBy(() -> transactions.inTransaction(() -> true))
        .isInstanceOf(StoreException.class)
        .matches(failure -> StoreException.kindOf(failure) == Kind.UNAVAILABLE);
    assertThat(connections.open()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"getAutoCommit", "getTransactionIsolation", "setAutoCommit", "commit"})
  void aPooledTransactionGivesItsConnectionBackWhateverFails(String method) {
    PooledTransactions transactions =
        new PooledTransactions(new ConnectionSource(connections.dataSource()), new H2Dialect());
    connections.failAt(method);

    assertThatThrownBy(() -> transactions.call("Nothing done", connection -> true))
        .hasMessageContaining("Nothing done: broken at " + method);

    assertThat(connections.open()).isZero();
  }

  /**
   * A loop may still be at work when its connection is closed: its thread had not ended in time.
   */
  @Test
  void aDutysConnectionThatWasClosedIsNotTakenAgain() {
    held.open();
    held.close();

    StoreException failure = catchThrowableOfType(StoreException.class, held::open);

    assertThat(connections.open()).isZero();
    assertThat(failure)
        .hasMessage("No connection for \"settle\": it was closed")
        .matches(told -> told.kind() == Kind.UNAVAILABLE);
    held.close();
    assertThat(connections.open()).isZero();
  }

  private HeldConnection signals() {
    return new HeldConnection(
        "signal",
        new ConnectionSource(connections.dataSource()),
        new StoreFailures(new H2Dialect()),
        Duration.ofSeconds(10));
  }

  @ParameterizedTest
  @ValueSource(strings = {"setAutoCommit", "prepareStatement", "createStatement"})
  void aChannelThatCannotBeOpenedGivesItsConnectionsBack(String method) {
    try (PostgresWakeChannel channel = PostgresWakeChannel.owning(signals(), signals(), "outbox")) {
      connections.failAt(method);

      assertThatThrownBy(() -> channel.send("x")).isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> channel.receive(Duration.ofMillis(1)))
          .isInstanceOf(StoreException.class);
    }

    assertThat(connections.open()).isZero();
  }
}
