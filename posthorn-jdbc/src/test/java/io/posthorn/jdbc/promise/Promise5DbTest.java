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
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Promise 5: a relay that was paused past its lease changes no row when it wakes. */
class Promise5DbTest extends OneDatabase {
  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  @Test
  void promise5_aRelayPausedPastItsLeaseChangesNoRowWhenItWakes() throws Exception {
    List<UUID> ids = publish("k", 2);
    SteppedRelay paused = recording("paused");
    paused.steps().step("lease");
    paused.steps().step("read"); // delivered, not settled: here it is paused

    database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));
    SteppedRelay heir = recording("heir");
    heir.steps().step("lease");
    heir.steps().step("lease");
    StoredRows before = database.rows();
    assertThat(before.partitions())
        .extracting(PartitionOwner::owner)
        .allMatch(owner -> owner != null && owner.id().equals("heir"));

    paused.steps().step("settle"); // it wakes in the middle of its work
    paused.steps().step("read");
    paused.steps().step("settle");
    assertThat(database.rows()).isEqualTo(before);
    assertThat(received).as("the two from before the pause").hasSize(2);

    heir.drain();
    heir.log().assertDeliveredExactly(HANDLER, ids);
    assertThat(received).extracting(Delivery::epoch).containsExactly(1L, 1L, 2L, 2L);
    paused.steps().step("lease");
    assertThat(paused.log().expelled()).hasSize(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  /** A suspended machine stops elapsed time; the wall clock goes on. */
  @Test
  void aRelayOnASuspendedMachineStartsNothing() throws Exception {
    SteppedRelay relay = recording("suspended");
    relay.drain();
    publish("k");
    database.clock().advanceWall(SteppedRelay.LEASE);
    relay.steps().step("read");
    assertThat(received).isEmpty();
  }

  /** Somebody sets the wall clock back; elapsed time goes on. */
  @Test
  void aRelayWhoseWallClockStandsStillStartsNothingPastItsLease() throws Exception {
    SteppedRelay relay = recording("set back");
    relay.drain();
    publish("k");
    database.clock().advanceElapsed(SteppedRelay.LEASE);
    relay.steps().step("read");
    assertThat(received).isEmpty();
  }

  @Test
  void whatWasReadInAnEarlierLifeIsNotStartedInTheNext() throws Exception {
    List<SteppedRelay> self = new ArrayList<>();
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder.handler(
                    HANDLER,
                    TYPE,
                    String.class,
                    (text, delivery) -> {
                      received.add(delivery);
                      if (received.size() == 1) {
                        database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));
                        SteppedRelay other = relay("other");
                        other.drain();
                        other.posthorn().stop(Duration.ofSeconds(5));
                        self.get(0).steps().step("lease"); // finds itself expelled
                        self.get(0).steps().step("lease"); // and joins again
                      }
                    }));
    self.add(relay);
    List<UUID> ids = publish("k", 3);
    relay.drain();

    assertThat(received).extracting(Delivery::messageId).containsExactly(ids.get(0));
    assertThat(relay.log().expelled()).hasSize(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
