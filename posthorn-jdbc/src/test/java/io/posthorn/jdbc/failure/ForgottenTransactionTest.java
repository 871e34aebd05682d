/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.BatchHandler;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.StepRunner;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that begins a transaction and never ends it. hostile.md, D6. */
class ForgottenTransactionTest {
  private final TestDatabase database = TestDatabase.h2();
  private final JdbcTransactions transactions = database.transactions();
  private final StepRunner steps = new StepRunner();
  private final List<String> errors = new ArrayList<>();
  private Posthorn posthorn;

  @AfterEach
  void close() {
    posthorn.close();
    database.close();
  }

  private void start(HandlerSpec<String> forgetful) throws Exception {
    transactions.run(connection -> execute(connection, "CREATE TABLE effect (name VARCHAR(20))"));
    posthorn =
        Posthorn.inOneProcess(database.store(), transactions)
            .dutyRunner(steps)
            .relay(relay -> relay.executor(Runnable::run)) // all handlers on one thread
            .handler(forgetful)
            .handler(
                "careful",
                "careful",
                String.class,
                (text, delivery) ->
                    transactions.run(
                        connection ->
                            execute(connection, "INSERT INTO effect VALUES ('" + text + "')")))
            .listener(
                new RelayListener() {
                  @Override
                  public void failed(Delivery delivery, Throwable cause) {
                    errors.add(delivery.type() + ": " + cause.getMessage());
                  }
                })
            .start();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void begin(String text) throws SQLException {
    Connection forgotten = transactions.begin();
    execute(forgotten, "INSERT INTO effect VALUES ('" + text + "')");
  }

  private void deliver(String... types) throws Exception {
    for (String type : types) {
      transactions.run(
          connection ->
              posthorn.outbox().publish(Message.of(type).key(type).payload(type).build()));
      steps.drain();
    }
  }

  private List<String> effects() throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT name FROM effect")) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private void assertOnlyTheForgetfulOneFails() throws Exception {
    deliver("forgetful", "careful");

    assertThat(effects()).containsExactly("careful");
    assertThat(errors).isNotEmpty().allMatch(error -> error.startsWith("forgetful: "));
    assertThat(errors.get(0))
        .contains("handler \"forgetful\" left a transaction open on its thread");
    assertThat(database.rows().ready()).isEmpty();
    assertThat(database.rows().deferred()).hasSize(1);
  }

  @Test
  void itsOwnDeliveryFailsAndOthersAreCommitted() throws Exception {
    start(HandlerSpec.of("forgetful", "forgetful", String.class, (text, delivery) -> begin(text)));

    assertOnlyTheForgetfulOneFails();
  }

  @Test
  void theSameForABatch() throws Exception {
    BatchHandler<String> handler = batch -> begin("batch");
    start(HandlerSpec.batch("forgetful", "forgetful", String.class, 10, handler));

    assertOnlyTheForgetfulOneFails();
  }
}
