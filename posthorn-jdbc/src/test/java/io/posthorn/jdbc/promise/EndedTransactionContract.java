/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A handler that swallows the error of a deadlock does not notice that the database has rolled back
 * its transaction: what it does afterwards is in another one, which must not settle the message.
 */
abstract class EndedTransactionContract {
  private static final int PASSES = 20;

  private OrderEffects orders;
  private QueuedRelay relay;

  protected abstract TestDatabase openDatabase();

  @BeforeEach
  void open() {
    orders = new OrderEffects(openDatabase());
    relay = new QueuedRelay("a", orders, orders::handlers);
  }

  @AfterEach
  void close() {
    relay.close();
    orders.close();
  }

  @Test
  void aMessageIsNotSettledInAnotherTransactionThanItsEffect() throws Exception { // issue 19
    orders.publish(1);
    AtomicInteger calls = new AtomicInteger();
    orders.during(
        OrderEffects.LEDGER,
        delivery -> {
          Connection connection = orders.transactions().current().unwrap(Connection.class);
          execute(connection, "INSERT INTO effect VALUES ('-', 'first half')");
          if (calls.incrementAndGet() == 1) {
            execute(connection, "ROLLBACK"); // as a deadlock does
          }
        });

    for (int i = 0; i < PASSES; i++) {
      pass();
    }

    orders.assertEffectsOnce();
    assertThat(orders.database().number("SELECT count(*) FROM effect WHERE handler = 'first half'"))
        .isEqualTo(1);
    assertThat(calls).hasValue(2);
  }

  private void pass() {
    relay.runOnce();
    orders.database().clock().advance(Duration.ofMillis(500));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
