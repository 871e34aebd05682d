/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Reads of deferred rows begin at floors; no message that is due may end up below them. */
class DeferredFloorDbTest extends OneDatabase {
  private UUID publish(Message message) throws Exception {
    try (Posthorn delaying =
        Posthorn.publishOnly(store, transactions)
            .clock(database.clock())
            .publish(options -> options.promotedElsewhere(true))
            .build()) {
      return transactions.call(connection -> delaying.outbox().publish(message));
    }
  }

  private static Message.Builder message() {
    return Message.of(TYPE).key("k").payload("{}");
  }

  private void floors(String time) {
    database.execute("UPDATE outbox_deferred_floor SET due_floor = " + time);
  }

  private void assertDelivered(UUID id) {
    SteppedRelay relay = relay("a");
    relay.drain();
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsExactly(id);
  }

  @Test
  void aMessageWhoseTimeHasPassedLowersTheFloor() throws Exception {
    floors("clock_timestamp() - interval '10 seconds'");
    UUID id = publish(message().deliverAt(Instant.EPOCH).build());
    assertDelivered(id);
  }

  @Test
  void afterTheClockHasGoneBackReadsBeginAtTheBeginning() throws Exception {
    UUID id = publish(message().deliverAfter(Duration.ofMillis(1)).build());
    database.clock().advance(Duration.ofSeconds(1));
    floors("clock_timestamp() + interval '1 hour'");
    assertDelivered(id);
  }
}
