/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A partition has one owner at a time, and each change of owner is numbered.
 *
 * @since 0.1
 */
public abstract class OwnershipContract extends StoreContract {
  private PartitionOwner partition(int number) {
    return relay().survey().partitions().get(number);
  }

  private List<PartitionOwner> take(RelayIdentity me, PartitionOwner... seen) {
    return relay().take(me, List.of(seen));
  }

  private static PartitionOwner free(int partition, long epoch) {
    return new PartitionOwner(partition, null, epoch);
  }

  private static PartitionOwner owned(int partition, RelayIdentity owner, long epoch) {
    return new PartitionOwner(partition, owner, epoch);
  }

  @Test
  void newPartitionsHaveNoOwner() {
    assertThat(partitions()).isGreaterThanOrEqualTo(8);
    assertThat(relay().survey().partitions())
        .containsExactlyElementsOf(
            IntStream.range(0, partitions()).mapToObj(number -> free(number, 0)).toList());
  }

  @Test
  void takenPartitionShowsItsOwnerAndTheNextEpoch() {
    RelayIdentity me = join("a");

    assertThat(take(me, free(3, 0), free(5, 0)))
        .containsExactlyInAnyOrder(owned(3, me, 1), owned(5, me, 1));

    assertThat(partition(3)).isEqualTo(owned(3, me, 1));
    assertThat(partition(5)).isEqualTo(owned(5, me, 1));
    assertThat(partition(4)).isEqualTo(free(4, 0));
  }

  @Test
  void secondTakerOfAnEpochGetsNothing() {
    RelayIdentity first = join("a");
    RelayIdentity second = join("b");
    take(first, free(0, 0), free(1, 0));

    assertThat(take(second, free(0, 0), free(1, 0), free(2, 0)))
        .containsExactly(owned(2, second, 1));

    assertThat(partition(0)).isEqualTo(owned(0, first, 1));
  }

  @Test
  void epochGrowsByOneAtEachChangeOfOwner() {
    RelayIdentity first = join("a");
    RelayIdentity second = join("b");

    take(first, free(0, 0));
    relay().release(first, List.of(0));
    take(second, partition(0));
    relay().release(second, List.of(0));

    assertThat(take(first, partition(0))).containsExactly(owned(0, first, 3));
  }

  @Test
  void releaseKeepsTheEpochAndClearsTheOwner() {
    RelayIdentity me = join("a");
    take(me, free(0, 0), free(1, 0));

    relay().release(me, List.of(0));

    assertThat(partition(0)).isEqualTo(free(0, 1));
    assertThat(partition(1)).isEqualTo(owned(1, me, 1));
  }

  @Test
  void releaseOfAPartitionOfAnotherChangesNothing() {
    RelayIdentity owner = join("a");
    RelayIdentity other = join("b");
    RelayIdentity sameName = join("a");
    take(owner, free(0, 0));

    relay().release(other, List.of(0, 1));
    relay().release(sameName, List.of(0, 1));

    assertThat(partition(0)).isEqualTo(owned(0, owner, 1));
    assertThat(partition(1)).isEqualTo(free(1, 0));
  }

  @Test
  void nothingToTakeOrReleaseIsHarmless() {
    RelayIdentity me = join("a");

    assertThat(take(me)).isEmpty();
    relay().release(me, List.of());
  }

  @Test
  void expelledRelayTakesNothing() {
    RelayIdentity silent = expelled();

    assertThat(take(silent, free(0, 0))).isEmpty();

    assertThat(partition(0)).isEqualTo(free(0, 0));
  }

  @Test
  void expelledRelayReleasesNothing() {
    RelayIdentity silent = join("a");
    take(silent, free(0, 0));
    advance(LEASE.plus(MOMENT));
    expelStale();

    relay().release(silent, List.of(0));

    assertThat(partition(0)).isEqualTo(owned(0, silent, 1));
  }

  @Test
  void partitionOfAnExpelledRelayIsTakenByAnother() {
    RelayIdentity silent = join("a");
    take(silent, free(0, 0));
    advance(LEASE.plus(MOMENT));
    RelayIdentity next = join("b");
    expelStale();

    assertThat(take(next, partition(0)))
        .containsExactly(new PartitionOwner(0, next, 2, 1, 0))
        .containsExactly(partition(0));
  }

  @Test
  void crashesOfOwnersAreCountedUntilThePartitionComesToRest() {
    RelayIdentity first = join("a");
    take(first, free(0, 0));
    relay().leave(first); // without a release: it is no longer there
    RelayIdentity second = join("b");
    take(second, partition(0));
    relay().release(second, List.of(0));
    assertThat(take(second, partition(0)).get(0).crashes()).isEqualTo(1);

    relay().calm(first, List.of(0)); // no longer the owner
    assertThat(partition(0).crashes()).isEqualTo(1);
    relay().calm(second, List.of(0));

    assertThat(partition(0)).isEqualTo(owned(0, second, 3));
  }

  @Test
  void expelledRelayCalmsNothing() {
    RelayIdentity first = join("a");
    take(first, free(0, 0));
    relay().leave(first);
    RelayIdentity silent = join("b");
    take(silent, partition(0));
    advance(LEASE.plus(MOMENT));
    expelStale();

    relay().calm(silent, List.of(0));

    assertThat(partition(0)).isEqualTo(new PartitionOwner(0, silent, 2, 1, 0));
  }

  // --- floors

  private static PartitionOwner at(int partition, RelayIdentity owner, long epoch, long floor) {
    return new PartitionOwner(partition, owner, epoch, 0, floor);
  }

  @Test
  void storedFloorIsToldToItsOwnerAndToTheNext() {
    RelayIdentity me = join("a");
    take(me, free(0, 0), free(1, 0), free(2, 0));

    assertThat(relay().storeFloors(me, Map.of(0, 100L, 2, Long.MAX_VALUE))).isTrue();

    assertThat(relay().floors(me)).isEqualTo(Map.of(0, 100L, 1, 0L, 2, Long.MAX_VALUE));
    assertThat(partition(0)).isEqualTo(at(0, me, 1, 100));
    relay().release(me, List.of(0));
    assertThat(take(join("b"), partition(0)))
        .extracting(PartitionOwner::floor)
        .containsExactly(100L);
    assertThat(relay().floors(me)).containsOnlyKeys(1, 2);
  }

  @Test
  void floorOutlivesTheExpulsionOfItsOwnerAndTheComingToRest() {
    RelayIdentity silent = join("a");
    take(silent, free(0, 0));
    relay().storeFloors(silent, Map.of(0, 100L));
    advance(LEASE.plus(MOMENT));
    RelayIdentity next = join("b");
    expelStale();

    assertThat(take(next, partition(0))).containsExactly(new PartitionOwner(0, next, 2, 1, 100));
    relay().calm(next, List.of(0));

    assertThat(partition(0)).isEqualTo(at(0, next, 2, 100));
  }

  @Test
  void floorCanBeLowered() {
    RelayIdentity me = join("a");
    take(me, free(0, 0));
    relay().storeFloors(me, Map.of(0, 100L));

    relay().storeFloors(me, Map.of(0, 7L));

    assertThat(relay().floors(me)).isEqualTo(Map.of(0, 7L));
  }

  @Test
  void floorsOfPartitionsOfOthersAreNotChanged() {
    RelayIdentity me = join("a");
    RelayIdentity other = join("b");
    take(me, free(0, 0));
    take(other, free(1, 0));

    assertThat(relay().storeFloors(me, Map.of(0, 5L, 1, 5L, 2, 5L))).isTrue();

    assertThat(partition(0)).isEqualTo(at(0, me, 1, 5));
    assertThat(partition(1)).isEqualTo(owned(1, other, 1));
    assertThat(partition(2)).isEqualTo(free(2, 0));
  }

  @Test
  void expelledRelayStoresNoFloor() {
    RelayIdentity silent = join("a");
    take(silent, free(0, 0));
    advance(LEASE.plus(MOMENT));
    expelStale();

    assertThat(relay().storeFloors(silent, Map.of(0, 5L))).isFalse();
    assertThat(relay().storeFloors(silent, Map.of())).isFalse();

    assertThat(partition(0)).isEqualTo(owned(0, silent, 1));
  }

  @Test
  void relayWithoutPartitionsHasNoFloors() {
    RelayIdentity me = join("a");

    assertThat(relay().floors(me)).isEmpty();
    assertThat(relay().storeFloors(me, Map.of())).isTrue();
  }

  @Test
  void leavingRelayStillStandsAsOwnerUntilItsPartitionIsTaken() {
    RelayIdentity me = join("a");
    take(me, free(0, 0));

    relay().leave(me);

    assertThat(partition(0)).isEqualTo(owned(0, me, 1));
    assertThat(take(join("b"), partition(0))).hasSize(1);
  }

  @Test
  void relaysThatTakeAtTheSameTimeGetEachPartitionOnce() throws Exception {
    List<PartitionOwner> seen = relay().survey().partitions();
    int takers = 3;
    CyclicBarrier together = new CyclicBarrier(takers);
    ExecutorService threads = Executors.newFixedThreadPool(takers);
    List<PartitionOwner> taken = new ArrayList<>();
    try {
      List<Callable<List<PartitionOwner>>> tasks =
          IntStream.range(0, takers).mapToObj(n -> taking("relay-" + n, seen, together)).toList();
      for (Future<List<PartitionOwner>> task : threads.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
        taken.addAll(task.get());
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(taken).containsExactlyInAnyOrderElementsOf(relay().survey().partitions());
  }

  private Callable<List<PartitionOwner>> taking(
      String id, List<PartitionOwner> seen, CyclicBarrier together) {
    return () -> {
      try (RelayStore other = database().store().relay(LEASE)) {
        RelayIdentity me = other.join(id, Map.of());
        together.await(30, TimeUnit.SECONDS);
        return other.take(me, seen);
      }
    };
  }
}
