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
import io.posthorn.test.fault.FaultyStore.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Promise 2: at least once, whatever fails. */
class Promise2DbTest extends OneDatabase {
  @Test
  void promise2_aRelayThatDiesLosesNoCommittedMessage() throws Exception {
    List<UUID> ids = publish("k", 3);
    List<UUID> handled = new ArrayList<>();
    SteppedRelay dies =
        relay(
            "dies",
            builder ->
                builder.handler(
                    HANDLER,
                    TYPE,
                    String.class,
                    (text, delivery) -> handled.add(delivery.messageId())));
    dies.steps().step("lease");
    dies.steps().step("read"); // delivered, and then it is never heard of again
    assertThat(handled).containsExactlyElementsOf(ids);

    SteppedRelay heir = relay("heir");
    database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));
    heir.drain();

    heir.log().assertDeliveredExactly(HANDLER, ids);
    assertThat(heir.log().delivered()).extracting(Delivery::attempt).containsOnly(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  /** Each step, once failing before it did anything and once with its answer lost. */
  @ParameterizedTest
  @EnumSource(Step.class)
  void aStepThatFailsLosesNothing(Step step) throws Exception {
    for (boolean answerLost : new boolean[] {false, true}) {
      FaultyStore faulty = new FaultyStore(store);
      SteppedRelay relay = failingOnce(step + "-" + answerLost, faulty);
      List<UUID> ids = publish("k", 3);
      publish(null, 2);
      if (answerLost) {
        faulty.failAfter(step);
      } else {
        faulty.failBefore(step);
      }
      for (int round = 0; round < 14; round++) {
        drainThroughFailures(relay);
        database.clock().advance(Duration.ofSeconds(6));
      }
      boolean stopped = stopThroughFailures(relay);
      assertThat(stopped).isTrue();
      assertThat(relay.log().deliveredSeqs(HANDLER, "k")).isSorted().hasSize(ids.size());
      ids.forEach(id -> relay.log().assertDelivered(HANDLER, id));
      StoreAssert.assertThat(database.rows()).hasNoMessages();
      assertThat(database.rows().instances()).isEmpty();
    }
  }

  /** Its first delivery of each lane fails, so that all kinds of reads and settles are met. */
  private SteppedRelay failingOnce(String name, FaultyStore faulty) {
    return relay(
        name,
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
                }));
  }

  private static void drainThroughFailures(SteppedRelay relay) {
    for (int i = 0; i < 3; i++) {
      try {
        relay.drain();
      } catch (RuntimeException e) {
        assertThat(e).hasMessageContaining("FaultyStore");
      }
    }
  }

  private static boolean stopThroughFailures(SteppedRelay relay) {
    for (int i = 0; i < 3; i++) {
      try {
        return relay.posthorn().stop(Duration.ofSeconds(5));
      } catch (RuntimeException e) {
        assertThat(e).hasMessageContaining("FaultyStore");
      }
    }
    return false;
  }

  @Test
  void outcomesAreKeptWhileTheDatabaseIsAwayAndTheLeaseIsNotTaken() throws Exception {
    FaultyStore faulty = new FaultyStore(store);
    SteppedRelay relay =
        relay(
            "a", faulty, builder -> builder.handler(HANDLER, TYPE, String.class, (text, d) -> {}));
    relay.drain();
    List<UUID> ids = publish("k", 5);
    relay.steps().step("read");
    faulty.away(true);
    database.clock().advance(SteppedRelay.LEASE.plusSeconds(5));
    drainThroughFailures(relay);
    faulty.away(false);

    relay.drain();

    relay.log().assertDeliveredExactly(HANDLER, ids);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
