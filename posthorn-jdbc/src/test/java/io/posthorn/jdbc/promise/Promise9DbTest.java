/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Filter;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Promise 9: dead letters are never purged silently. */
class Promise9DbTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<String> purged = new ArrayList<>();

  private void settings(Posthorn.Builder builder) {
    builder
        .relay(r -> r.retention(HOUR).retry(RetryPolicy.exponential(HOUR, HOUR, 1)))
        .handler(
            "mailer",
            "order-placed",
            String.class,
            (text, delivery) -> {
              if (text.equals("bad")) {
                throw new IllegalStateException("no route");
              }
            })
        .listener(
            new RelayListener() {
              @Override
              public void purged(String what, int rows) {
                purged.add(rows + " of " + what);
              }
            });
  }

  @Test
  void promise9_deadLettersAreNeverPurgedSilently() throws Exception {
    try (TestDatabase database = TestDatabase.postgres()) {
      JdbcTransactions transactions = database.transactions();
      MessageStore store = database.store();
      SteppedRelay relay =
          new SteppedRelay("a", store, transactions, database.clock(), this::settings);
      try (relay) {
        for (String payload : List.of("good", "bad", "good", "bad")) {
          transactions.run(
              connection ->
                  relay
                      .posthorn()
                      .outbox()
                      .publish(Message.of("order-placed").key("k").payload(payload).build()));
        }
        relay.drain();
        assertThat(relay.posthorn().admin().history().count(Filter.all()).entries()).isEqualTo(2);

        // Ten years: the lease is lost and taken again on the way.
        for (int year = 0; year < 10; year++) {
          database.clock().advance(Duration.ofDays(365));
          relay.drain();
        }

        assertThat(purged).as("the purges did run").containsExactly("2 of history");
        StoreAssert.assertThat(database.rows()).hasReady(0).hasDeadLetters(2);
        assertThat(relay.posthorn().admin().deadLetters().page(Filter.all(), null, 10).items())
            .allMatch(letter -> letter.error().contains("no route"));
        assertThat(relay.posthorn().admin().deadLetters().retryAll(Filter.all())).isEqualTo(2);
      }
    }
  }
}
