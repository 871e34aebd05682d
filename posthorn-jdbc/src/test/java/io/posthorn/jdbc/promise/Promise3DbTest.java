/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Promise 3: no duplicate without a fault, through clean restarts and rebalancing too. */
class Promise3DbTest extends OneDatabase {
  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder
                .handler(HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery))
                .handler("ledger", TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  @Test
  void promise3_everyMessageIsDeliveredOnceToEveryHandlerThroughRestartsAndRebalancing()
      throws Exception {
    Random random = new Random(20261115);
    List<UUID> ids = new ArrayList<>();
    List<SteppedRelay> running = new ArrayList<>();
    for (int round = 0; round < 60; round++) {
      for (int i = 0; i < 5; i++) {
        ids.add(publish(random.nextInt(4) == 0 ? null : "key-" + random.nextInt(10)));
      }
      int event = random.nextInt(6);
      if (running.isEmpty() || (event == 0 && running.size() < 4)) {
        running.add(recording("relay-" + round));
      } else if (event == 1) {
        assertThat(
                running
                    .remove(random.nextInt(running.size()))
                    .posthorn()
                    .stop(Duration.ofSeconds(5)))
            .isTrue();
      }
      for (SteppedRelay relay : running) {
        String[] duties = {"lease", "read", "settle"};
        relay.steps().step(duties[random.nextInt(3)]);
        relay.steps().step(duties[random.nextInt(3)]);
      }
      database.clock().advance(Duration.ofMillis(300));
    }
    SteppedRelay last = recording("last");
    for (int i = 0; i < 5; i++) {
      running.forEach(SteppedRelay::drain);
      last.drain();
      database.clock().advance(Duration.ofSeconds(1));
    }

    for (String handler : List.of(HANDLER, "ledger")) {
      assertThat(received)
          .filteredOn(delivery -> delivery.handler().equals(handler))
          .extracting(Delivery::messageId)
          .as("deliveries to " + handler)
          .containsExactlyInAnyOrderElementsOf(ids);
    }
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  /**
   * The second trap of reading: a read that began before a settle committed still returns the
   * settled row.
   */
  @Test
  void aReadThatBeganBeforeASettleCommittedDeliversNothingTwice() throws Exception {
    FaultyStore faulty = new FaultyStore(store);
    SteppedRelay relay =
        relay(
            "a",
            faulty,
            builder ->
                builder.handler(
                    HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
    relay.drain();
    UUID id = publish("k");
    relay.steps().step("read");
    // The next read has its rows, and is on its way back when the settle commits.
    publish("other");
    faulty.after(FaultyStore.Step.READ, () -> relay.steps().step("settle"));
    relay.steps().step("read");
    assertThat(database.rows().ready()).as("settled during the read").hasSize(1);
    relay.drain();

    assertThat(received).extracting(Delivery::messageId).containsOnlyOnce(id).hasSize(2);
  }

  /** The same for a retry without a key, which is found by its due time. */
  @Test
  void aReadOfDueRowsThatBeganBeforeASettleCommittedDeliversNothingTwice() throws Exception {
    FaultyStore faulty = new FaultyStore(store);
    SteppedRelay relay =
        relay(
            "a",
            faulty,
            builder ->
                builder.handler(
                    HANDLER,
                    TYPE,
                    String.class,
                    (text, delivery) -> {
                      if (!delivery.isRetry()) {
                        throw new IllegalStateException("first attempt");
                      }
                      received.add(delivery);
                    }));
    relay.drain();
    publish((String) null);
    relay.drain();
    database.clock().advance(Duration.ofSeconds(1));
    relay.steps().step("read"); // delivered, not settled
    assertThat(received).hasSize(1);
    faulty.after(FaultyStore.Step.READ_DUE, () -> relay.steps().step("settle"));
    database.clock().advance(Duration.ofSeconds(2));
    relay.steps().step("read");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
    relay.drain();

    assertThat(received).hasSize(1);
  }
}
