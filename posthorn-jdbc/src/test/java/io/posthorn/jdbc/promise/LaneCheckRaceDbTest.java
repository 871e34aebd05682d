/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A message joins those that wait in its lane while the lane is being looked at. */
class LaneCheckRaceDbTest extends OneDatabase {

  @Test
  void aMessageThatIsHeldWhileItsLaneIsReadIsDeliveredToo() throws Exception {
    FaultyStore faulty = new FaultyStore(store);
    List<UUID> received = new ArrayList<>();
    SteppedRelay relay =
        relay(
            "a",
            faulty,
            builder ->
                builder
                    .relay(
                        options ->
                            options.retry(
                                RetryPolicy.exponential(
                                    Duration.ofSeconds(1), Duration.ofSeconds(1), 3)))
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          if (received.isEmpty() && !delivery.isRetry()) {
                            throw new IllegalStateException("once");
                          }
                          received.add(delivery.messageId());
                        }));
    relay.drain();
    UUID first = publish("k");
    relay.drain();
    database.clock().advance(Duration.ofSeconds(2));
    relay.steps().step("read");
    relay.steps().step("settle");
    assertThat(received).containsExactly(first);

    UUID second = publish("k");
    // The read of the lane began before the row was there, and ends after that was settled.
    faulty.after(FaultyStore.Step.READ_LANES, () -> relay.steps().step("settle"));
    relay.drain();

    assertThat(received).containsExactly(first, second);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
