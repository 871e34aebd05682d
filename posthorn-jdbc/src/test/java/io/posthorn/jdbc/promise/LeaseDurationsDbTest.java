/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Relays whose leases have different lengths, as during a rolling change of the setting. */
class LeaseDurationsDbTest extends OneDatabase {
  private static final Duration STEP = Duration.ofSeconds(1);

  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay relay(String name, Duration lease, Duration heartbeatInterval) {
    return relay(
        name,
        builder ->
            builder
                .relay(relay -> relay.leaseDuration(lease).heartbeatInterval(heartbeatInterval))
                .handler(HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  private List<Long> epochs() {
    return database.rows().partitions().stream().map(PartitionOwner::epoch).toList();
  }

  @Test
  void relaysWithDifferentLeasesDoNotExpelEachOther() throws Exception { // M3 of issue 17
    SteppedRelay patient = relay("patient", Duration.ofSeconds(30), Duration.ofSeconds(8));
    SteppedRelay hasty = relay("hasty", Duration.ofSeconds(3), Duration.ofSeconds(1));
    for (int i = 0; i < 4; i++) {
      step(patient, hasty);
    }
    List<Long> shared = epochs();

    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      ids.add(publish("key-" + i % 20));
      patient.steps().step("read"); // delivered, and settled at the next step only
      step(hasty, patient);
    }

    assertThat(patient.log().expelled()).isEmpty();
    assertThat(hasty.log().expelled()).isEmpty();
    assertThat(epochs()).as("nothing changed hands").isEqualTo(shared).contains(1L, 2L);
    assertThat(received).extracting(Delivery::messageId).containsExactlyInAnyOrderElementsOf(ids);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  private void step(SteppedRelay... relays) {
    database.clock().advance(STEP);
    for (SteppedRelay relay : relays) {
      relay.drain();
    }
  }
}
