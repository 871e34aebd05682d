/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The tables of an outbox are empty most of the time, and then the server takes its statistics: it
 * believes that there is nothing in them. The relay's statements look rows up all the same, and do
 * not walk over whole indexes.
 */
class EmptyStatisticsDbTest extends MeteredRelayDbTest {
  /** What becomes of the messages. */
  enum Outcome {
    DELIVERED(1, 1, Duration.ZERO),
    KEPT_IN_HISTORY(1, 1, Duration.ofDays(1)),
    RETRIED(2, 2, Duration.ZERO),
    DEAD(Integer.MAX_VALUE, 1, Duration.ZERO);

    private final int firstSuccess;
    private final int attempts;
    private final Duration retention;

    Outcome(int firstSuccess, int attempts, Duration retention) {
      this.firstSuccess = firstSuccess;
      this.attempts = attempts;
      this.retention = retention;
    }

    Consumer<Posthorn.Builder> settings(AtomicInteger handled) {
      return builder ->
          builder
              .relay(
                  relay ->
                      relay
                          .retention(retention)
                          .retry(RetryPolicy.fixed(Duration.ofMillis(1), attempts)))
              .handler(
                  HANDLER,
                  TYPE,
                  String.class,
                  (text, delivery) -> {
                    handled.incrementAndGet();
                    if (delivery.attempt() < firstSuccess) {
                      throw new IllegalStateException("not yet");
                    }
                  });
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreLookedUp(Outcome outcome) throws Exception {
    AtomicInteger handled = new AtomicInteger();
    double before = entriesPerMessage(outcome.settings(handled));
    database.execute("ANALYZE outbox_message, outbox_deferred");
    double after = entriesPerMessage(outcome.settings(handled));

    assertThat(handled.get()).isEqualTo(2 * outcome.attempts * MESSAGES);
    assertThat(after)
        .as("index entries met for each message, %s before", before)
        .isLessThan(2 * before);
  }

  /** With one row, each key fits all rows. */
  @ParameterizedTest
  @EnumSource
  void rowsAreLookedUpIfThereWasOne(Outcome outcome) throws Exception {
    AtomicInteger handled = new AtomicInteger();
    double before = entriesPerMessage(outcome.settings(handled));
    publish("one");
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, message_key, content_type, payload, occurred_at, created_at,
               in_lane, reason, attempts, due_at, deferred_at)
        SELECT partition_no, seq, '%s', id, type, message_key, content_type, payload, occurred_at, created_at,
               TRUE, 'RETRYING', 1, now() + interval '1 day', now() FROM outbox_message
        """
            .formatted(HANDLER));
    database.execute("ANALYZE outbox_message, outbox_deferred");
    database.execute("DELETE FROM outbox_message");
    double after = entriesPerMessage(outcome.settings(handled));

    assertThat(handled.get()).isEqualTo(2 * outcome.attempts * MESSAGES);
    assertThat(after)
        .as("index entries met for each message, %s before", before)
        .isLessThan(2 * before);
  }
}
