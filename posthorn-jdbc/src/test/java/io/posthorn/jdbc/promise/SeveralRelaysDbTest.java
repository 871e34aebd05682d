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
import io.posthorn.spi.RelayIdentity;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Several relays on one database, driven by the settable clock. */
class SeveralRelaysDbTest extends OneDatabase {
  private static final Duration SURVEY = Duration.ofSeconds(1);

  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  private Map<String, Long> partitionsByOwner() {
    return database.rows().partitions().stream()
        .map(PartitionOwner::owner)
        .filter(Objects::nonNull)
        .map(RelayIdentity::id)
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }

  private void settleDown(SteppedRelay... relays) {
    for (int i = 0; i < 3; i++) {
      database.clock().advance(SURVEY);
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  @Test
  void partitionsAreSharedFairly() {
    SteppedRelay a = recording("a");
    a.drain();
    assertThat(partitionsByOwner()).isEqualTo(Map.of("a", 64L));

    SteppedRelay b = recording("b");
    settleDown(a, b);
    assertThat(partitionsByOwner()).isEqualTo(Map.of("a", 32L, "b", 32L));

    SteppedRelay c = recording("c");
    settleDown(a, b, c);
    assertThat(partitionsByOwner()).isEqualTo(Map.of("a", 22L, "b", 21L, "c", 21L));
  }

  @Test
  void aCleanStopHandsOverWithoutWaitingForATimeoutAndWithoutADuplicate() throws Exception {
    SteppedRelay a = recording("a");
    SteppedRelay b = recording("b");
    settleDown(a, b);
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ids.add(publish("key-" + i));
    }
    a.steps().step("read"); // delivered, not settled yet
    assertThat(a.posthorn().stop(Duration.ofSeconds(5))).isTrue();

    assertThat(partitionsByOwner()).doesNotContainKey("a");
    database.clock().advance(SURVEY); // far less than the lease
    b.drain();

    assertThat(partitionsByOwner()).isEqualTo(Map.of("b", 64L));
    assertThat(received).extracting(Delivery::messageId).containsExactlyInAnyOrderElementsOf(ids);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aDeadRelayIsExpelledAndItsPartitionsAreTaken() throws Exception {
    SteppedRelay dead = recording("dead");
    SteppedRelay b = recording("b");
    settleDown(dead, b);
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ids.add(publish("key-" + i));
    }
    // From here on nobody runs "dead" any more.
    for (int i = 0; i < 5; i++) {
      database.clock().advance(SteppedRelay.LEASE.dividedBy(5));
      b.drain();
      if (i < 3) {
        assertThat(partitionsByOwner()).containsEntry("dead", 32L);
      }
    }
    database.clock().advance(SURVEY);
    b.drain();

    assertThat(partitionsByOwner()).isEqualTo(Map.of("b", 64L));
    assertThat(database.rows().instances()).hasSize(1);
    assertThat(received).extracting(Delivery::messageId).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void orderPerKeyHoldsWhileRelaysComeAndGo() throws Exception {
    List<SteppedRelay> running = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 10; i++) {
        publish("key-" + i);
      }
      if (round % 2 == 0) {
        running.add(recording("relay-" + round));
      }
      if (round % 4 == 3) {
        running.remove(0).posthorn().stop(Duration.ofSeconds(5));
      }
      if (round % 7 == 6) {
        running.remove(0); // dies
      }
      running.forEach(relay -> relay.steps().runOnce());
      database.clock().advance(Duration.ofSeconds(2));
    }
    for (int i = 0; i < 4; i++) {
      database.clock().advance(SteppedRelay.LEASE.dividedBy(2));
      running.forEach(SteppedRelay::drain);
    }
    for (int i = 0; i < 10; i++) {
      String key = "key-" + i;
      List<Long> firstDeliveries =
          received.stream()
              .filter(delivery -> key.equals(delivery.key()))
              .map(delivery -> delivery.message().seq())
              .distinct()
              .toList();
      assertThat(firstDeliveries).as(key).hasSize(20).isSorted();
    }
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void epochsGrowByOneAtEachChangeOfOwner() {
    SteppedRelay a = recording("a");
    a.drain();
    assertThat(database.rows().partitions()).extracting(PartitionOwner::epoch).containsOnly(1L);
    a.posthorn().stop(Duration.ofSeconds(5));
    SteppedRelay b = recording("b");
    b.drain();
    assertThat(database.rows().partitions()).extracting(PartitionOwner::epoch).containsOnly(2L);
  }
}
