/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A failing head of a lane with very many messages behind it. */
class BlockedLaneDbTest extends OneDatabase {
  private static final int BEHIND = Integer.getInteger("posthorn.test.backlog", 30_000);
  private static final int WINDOW = 2_000;

  @Test
  void aBlockedLaneWithManyMessagesHoldsUpNobodyAndStaysWithinTheWindow() throws Exception {
    AtomicBoolean failing = new AtomicBoolean(true);
    List<Long> lane = new ArrayList<>();
    List<Delivery> others = new ArrayList<>();
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(
                        options ->
                            options
                                .windowMessages(WINDOW)
                                .retry(
                                    RetryPolicy.exponential(
                                        Duration.ofMinutes(5), Duration.ofMinutes(5), 100)))
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          if (!"blocked".equals(delivery.key())) {
                            others.add(delivery);
                          } else if (failing.get()) {
                            throw new IllegalStateException("head");
                          } else {
                            lane.add(delivery.message().seq());
                          }
                        }));
    relay.drain();
    publishInBulk("blocked", BEHIND);
    List<UUID> behindTheCrowd = publish("other", 3);

    int most = drainCounting(relay);
    assertThat(others).extracting(Delivery::messageId).containsExactlyElementsOf(behindTheCrowd);
    StoreAssert.assertThat(database.rows()).hasReady(0).laneIsBlocked(HANDLER, "blocked");
    assertThat(database.number("SELECT count(*) FROM outbox_deferred")).isEqualTo(BEHIND);

    failing.set(false);
    database.clock().advance(Duration.ofMinutes(6));
    most = Math.max(most, drainCounting(relay));
    assertThat(lane).hasSize(BEHIND).isSorted();
    assertThat(most).as("messages in memory at once").isBetween(1, WINDOW);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  /** Drains, and returns how many messages were in memory at the most. */
  private static int drainCounting(SteppedRelay relay) {
    int most = 0;
    while (relay.steps().runOnce() > 0) {
      most = Math.max(most, relay.posthorn().relay().status().inMemory());
    }
    return most;
  }

  private void publishInBulk(String key, int count) throws Exception {
    for (int done = 0; done < count; done += 10_000) {
      transactions.run(
          connection ->
              publisher
                  .outbox()
                  .publishAll(IntStream.range(0, 10_000).mapToObj(i -> message(key)).toList()));
    }
  }
}
