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
import java.util.ArrayList;
import java.util.List;
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

  /** A restore of some tables only: the rows of all handlers, and of none, are found again. */
  @Test
  void floorsThatAreMissingComeBack() throws Exception {
    List<UUID> ids = new ArrayList<>();
    for (String handler : List.of("a", HANDLER, "z")) {
      UUID id = UUID.randomUUID();
      ids.add(id);
      database.execute(
          """
          INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, content_type, payload, occurred_at, created_at,
                 in_lane, reason, attempts, due_at, deferred_at)
          VALUES (3, 7, '%s', '%s', '%s', 'application/json', '{}', now(), now(), FALSE, 'RETRYING', 1, now(), now())
          """
              .formatted(handler, id, TYPE));
    }
    ids.add(publish(message().deliverAfter(Duration.ofMillis(1)).build()));
    database.execute("DELETE FROM outbox_deferred_floor WHERE handler <> 'm'");
    database.execute("INSERT INTO outbox_deferred_floor VALUES (3, 'm', 0)");
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                List.of("a", HANDLER, "z")
                    .forEach(name -> builder.handler(name, TYPE, String.class, (text, d) -> {})));
    for (int i = 0; i < 100; i++) { // once after they came, all partitions are looked at
      relay.drain();
      database.clock().advance(Duration.ofSeconds(1));
    }
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsAll(ids);
  }

  @Test
  void afterTheClockHasGoneBackReadsBeginAtTheBeginning() throws Exception {
    UUID id = publish(message().deliverAfter(Duration.ofMillis(1)).build());
    database.clock().advance(Duration.ofSeconds(1));
    floors("clock_timestamp() + interval '1 hour'");
    assertDelivered(id);
  }
}
