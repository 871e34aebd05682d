/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Filter;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A newer version has written a deferred row for a reason that this one does not know. */
class UnknownReasonTest {
  private final TestDatabase database = TestDatabase.h2();
  private final JdbcTransactions transactions = database.transactions();
  private final List<String> got = new ArrayList<>();

  @AfterEach
  void close() {
    database.close();
  }

  private SteppedRelay relay() {
    return new SteppedRelay(
        "a",
        database.store(),
        transactions,
        database.clock(),
        builder ->
            builder
                .relay(options -> options.retry(RetryPolicy.fixed(Duration.ofSeconds(10), 5)))
                .handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      if (!delivery.isRetry()) {
                        throw new IllegalStateException("once more");
                      }
                      got.add(payload);
                    }));
  }

  private void publish(SteppedRelay relay, String key) throws Exception {
    transactions.run(
        connection ->
            relay.posthorn().outbox().publish(Message.of("t").key(key).payload(key).build()));
  }

  private void writeReason(String reason, String key) {
    database.execute(
        "ALTER TABLE outbox_deferred DROP CONSTRAINT IF EXISTS outbox_deferred_reason_ck");
    database.execute(
        "UPDATE outbox_deferred SET reason = '%s' WHERE message_key = '%s'".formatted(reason, key));
  }

  @Test
  void otherDeferredRowsAreDelivered() throws Exception {
    try (SteppedRelay relay = relay()) {
      publish(relay, "strange");
      publish(relay, "usual");
      relay.drain();
      writeReason("ENTANGLED", "strange");
      database.clock().advance(Duration.ofSeconds(10));
      relay.drain();
      database.clock().advance(Duration.ofSeconds(30));
      relay.drain();

      assertThat(got).contains("usual");
      assertThat(database.rows().deferred())
          .as("it waits, unless it was delivered")
          .hasSize(got.contains("strange") ? 0 : 1);
    }
  }

  @Test
  void operatorsSeeItAsOneThatWaits() throws Exception {
    try (SteppedRelay relay = relay()) {
      publish(relay, "strange");
      publish(relay, "usual");
      relay.drain();
      writeReason("ENTANGLED", "strange");

      assertThat(relay.posthorn().admin().deferred().page(Filter.all(), null, 10).items())
          .extracting(entry -> entry.key() + " " + entry.reason())
          .containsExactlyInAnyOrder("strange WAITING", "usual RETRYING");
    }
  }
}
