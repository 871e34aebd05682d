/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Promise 6: an unavailable destination costs no attempts; the handler is paused and probed, and
 * its backlog waits.
 */
class Promise6DbTest extends OneDatabase {
  private static final int WINDOW = 2_000;
  private static final int KEYS = 20_000;

  /** More with {@code -Plong}: what is promised for a million. */
  private static final int MESSAGES = Integer.getInteger("posthorn.test.backlog", 30_000);

  private final AtomicBoolean away = new AtomicBoolean(true);
  private final Map<String, Long> lastByKey = new HashMap<>();
  private final CircuitLog circuits = new CircuitLog();
  private long delivered;
  private long ledger;
  private int mostInMemory;
  private int mostLanes;

  private SteppedRelay closing(String name) {
    return keep(
        SteppedRelay.withoutLog(
            name,
            store,
            transactions,
            database.clock(),
            builder ->
                builder
                    // The relay's own clock stands still while it works; the database's does not.
                    .relay(
                        options ->
                            options.windowMessages(WINDOW).leaseDuration(Duration.ofHours(6)))
                    .listener(circuits)
                    .handler(HANDLER, TYPE, byte[].class, (bytes, delivery) -> take(delivery))
                    .handler("ledger", TYPE, byte[].class, (bytes, delivery) -> ledger++)));
  }

  /** What happened to circuits, in order. */
  private static final class CircuitLog implements RelayListener {
    private final List<String> seen = new ArrayList<>();

    @Override
    public void circuitOpened(String handler, Throwable cause) {
      seen.add(handler + " opened");
    }

    @Override
    public void circuitClosed(String handler, Duration after) {
      seen.add(handler + " closed");
    }
  }

  private void take(Delivery delivery) {
    if (away.get()) {
      throw new DestinationDownException("broker is away", null);
    }
    assertThat(delivery.attempt()).isEqualTo(1);
    Long before = lastByKey.put(String.valueOf(delivery.key()), delivery.message().seq());
    assertThat(before == null || before < delivery.message().seq())
        .as("order of the lane")
        .isTrue();
    delivered++;
  }

  private void drain(SteppedRelay relay) {
    while (relay.steps().runOnce() > 0) {
      database.clock().advance(Duration.ofMillis(20)); // reads leave behind what is long past
      mostInMemory = Math.max(mostInMemory, relay.posthorn().relay().status().inMemory());
      mostLanes = Math.max(mostLanes, relay.posthorn().relay().status().lanesInMemory());
    }
  }

  @Test
  void promise6_aBacklogForAClosedDestinationWaitsOutsideTheMemoryAndComesInOrder() {
    SteppedRelay relay = closing("a");
    relay.drain();
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
        SELECT k %% 64, gen_random_uuid(), '%s', 'key-' || k, 'application/json', decode(repeat('7b7d', 100), 'hex'), now(), now()
          FROM (SELECT i %% %d AS k FROM generate_series(1, %d) AS i) AS keys
        """
            .formatted(TYPE, KEYS, MESSAGES));

    drain(relay);
    for (int i = 0; i < 5; i++) {
      database.clock().advance(Duration.ofSeconds(2));
      drain(relay);
    }
    assertThat(ledger).as("the other handler has all").isEqualTo(MESSAGES);
    assertThat(delivered).isZero();
    assertThat(database.number("SELECT count(*) FROM outbox_message"))
        .as("the ready table drains")
        .isLessThanOrEqualTo(WINDOW);
    assertThat(database.number("SELECT coalesce(max(attempts), 0) FROM outbox_deferred")).isZero();

    relay.posthorn().stop(Duration.ofSeconds(10)); // the backlog outlives a restart
    SteppedRelay next = closing("b");
    drain(next);
    away.set(false);
    database.clock().advance(Duration.ofSeconds(2));
    drain(next);

    assertThat(delivered).isEqualTo(MESSAGES);
    assertThat(ledger).as("without a repetition").isEqualTo(MESSAGES);
    assertThat(mostInMemory).isBetween(1, WINDOW);
    assertThat(mostLanes).as("lanes in memory").isBetween(1, 4 * WINDOW);
    assertThat(circuits.seen).containsExactly("mailer opened", "mailer opened", "mailer closed");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
