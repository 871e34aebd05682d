/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.RelayOptionsFixture;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.SeqRange;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The partitions of a relay and their floors. */
class PartitionTableTest {
  private static final RelayIdentity ME = new RelayIdentity("a", 1);

  private static final int WINDOW = 100;
  private static final long POLL = Duration.ofSeconds(3).toNanos();

  private final MemoryLock lock = new MemoryLock(() -> {});
  private long now;
  private final PartitionTable partitions =
      new PartitionTable(
          lock,
          () -> now,
          RelayOptionsFixture.standard()
              .windowMessages(WINDOW)
              .pollInterval(Duration.ofNanos(POLL)));

  private void hold(long floor, long readTo) {
    partitions.hold(ME, List.of(new PartitionOwner(0, ME, 1, 0, floor)));
    lock.run(
        () ->
            partitions
                .find(List.of(0))
                .forEach(
                    held -> {
                      held.loaded();
                      held.readAll(readTo);
                    }));
  }

  @Test
  void floorsThatWereStoredNeedNotBeStoredAgain() {
    hold(100, 900);
    partitions.floorsStored(partitions.floorsToStore(1));
    assertThat(partitions.floorsToStore(1)).isEmpty();
  }

  @Test
  void floorsFromBeforeADoubtDoNotCountAsStored() {
    hold(100, 900);
    var before = partitions.floorsToStore(1);
    partitions.resetFloors(Map.of());
    partitions.floorsStored(before);
    assertThat(partitions.floorsToStore(1))
        .as("900 is stored, and rows may come below it")
        .containsEntry(0, 0L);
  }

  private static BitSet bits(int... set) {
    BitSet bits = new BitSet();
    for (int bit : set) {
      bits.set(bit);
    }
    return bits;
  }

  private void take(int... numbers) {
    for (int number : numbers) {
      partitions.hold(ME, List.of(new PartitionOwner(number, ME, 10 + number, 0, 0)));
      find(number).loaded();
    }
  }

  private HeldPartition find(int number) {
    return requireNonNull(partitions.find(number), "held");
  }

  @Test
  void whatIsKeptCanBeAskedWithoutTheLock() {
    take(1, 3);
    assertThat(partitions.kept()).containsExactly(1, 3);
    assertThat(partitions.epochs()).isEqualTo(Map.of(1, 11L, 3, 13L));
    assertThat(partitions.keepsOneOf(bits(0, 3))).isTrue();
    assertThat(partitions.keepsOneOf(bits(0, 2))).isFalse();
    assertThat(partitions.keepsAllOf(bits(1, 3))).isTrue();
    assertThat(partitions.keepsAllOf(bits(1, 2))).isFalse();
    find(3).drain();
    partitions.noteKept();
    assertThat(partitions.kept()).containsExactly(1);
    assertThat(partitions.epochs()).as("until it is released").containsOnlyKeys(1, 3);
  }

  @Test
  void aPartitionThatWasGivenUpIsNotHeldAnyMore() {
    take(1);
    HeldPartition held = find(1);
    assertThat(partitions.remove(1)).isTrue();
    assertThat(partitions.remove(1)).isFalse();
    assertThat(held.isGone()).isTrue();
    assertThat(partitions.kept()).isEmpty();
    assertThatThrownBy(held::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("partition 1");
  }

  @Test
  void aPartitionThatDrainsIsNotHeldAgainBecauseALookEnds() {
    partitions.hold(ME, List.of(new PartitionOwner(1, ME, 1)));
    assertThat(partitions.loading()).hasSize(1);
    find(1).drain();
    find(1).loaded();
    assertThat(find(1).isDraining()).isTrue();
    assertThat(partitions.loading()).isEmpty();
  }

  @Test
  void aPartitionIsDrainedWhenNothingOfItIsInMemory() {
    take(1);
    find(1).itemAdded();
    find(1).itemAdded();
    assertThat(partitions.drained()).isEmpty();
    find(1).drain();
    find(1).itemSettled();
    assertThat(partitions.drained()).isEmpty();
    find(1).itemRemoved();
    assertThat(partitions.drained()).containsExactly(1);
  }

  @Test
  void whatIsBelowAFloorIsLookedAtInRanges() {
    partitions.hold(ME, List.of(new PartitionOwner(1, ME, 1, 0, 250)));
    assertThat(partitions.rangeBelowFloor(1, -1, 100)).as("it is being loaded").isEmpty();
    find(1).loaded();
    assertThat(partitions.rangeBelowFloor(1, -1, 100)).hasValue(new SeqRange(1, 0, 100));
    assertThat(partitions.rangeBelowFloor(1, 100, 100)).hasValue(new SeqRange(1, 100, 200));
    assertThat(partitions.rangeBelowFloor(1, 200, 100)).hasValue(new SeqRange(1, 200, 250));
    assertThat(partitions.rangeBelowFloor(1, 150, 100)).hasValue(new SeqRange(1, 150, 250));
    assertThat(partitions.rangeBelowFloor(1, 250, 100)).isEmpty();
    assertThat(partitions.rangeBelowFloor(2, -1, 100)).as("it is not held").isEmpty();
  }

  @Test
  void atTheBeginningThereIsOneEmptyRange() {
    take(1);
    assertThat(partitions.rangeBelowFloor(1, -1, 100)).hasValue(new SeqRange(1, 0, 0));
    assertThat(partitions.rangeBelowFloor(1, 0, 100)).isEmpty();
  }

  @Test
  void seqsInMemoryAreToldByRange() {
    take(1, 2);
    for (long seq : new long[] {10, 20, 30}) {
      find(1).enter(seq);
    }
    find(2).enter(25);
    assertThat(
            partitions.knownIn(
                List.of(new SeqRange(1, 10, 30), new SeqRange(2, 0, 100), new SeqRange(9, 0, 100))))
        .containsExactly(20, 30, 25);
  }

  @Test
  void rowsThatWereFoundBelowTheFloorAreReadFromThere() {
    take(1, 2);
    find(1).readAll(900);
    find(2).readAll(900);
    partitions.foundBelowFloor(Map.of(1, 50L, 9, 70L));
    assertThat(find(1).floor()).isEqualTo(49);
    assertThat(find(2).floor()).isEqualTo(900);
  }

  @Test
  void afterACrashTheStoredFloorsCount() {
    take(1, 2);
    find(1).readAll(900);
    partitions.resetFloors(Map.of(1, 600L));
    assertThat(find(1).floor()).isEqualTo(600);
    assertThat(find(2).floor()).isZero();
    assertThat(partitions.floorsUnsure()).as("nothing is known of the database").isTrue();
  }

  @Test
  void aPartitionWhoseOwnersDiedComesToRestWhenItIsQuietForAWhile() {
    now = Duration.ofDays(3).toNanos();
    partitions.hold(ME, List.of(new PartitionOwner(1, ME, 1, 1, 0), new PartitionOwner(2, ME, 1)));
    find(1).loaded();
    find(2).loaded();
    now += 2 * POLL;
    assertThat(partitions.rested()).as("it has not been read").isEmpty();
    find(1).readAll(0);
    assertThat(partitions.rested()).containsExactly(1);
    now -= 1;
    assertThat(partitions.rested()).isEmpty();
    now += 1;
    find(1).itemAdded();
    assertThat(partitions.rested()).isEmpty();
    find(1).itemSettled();
    assertThat(partitions.rested()).containsExactly(1);
    partitions.calmed(List.of(1));
    assertThat(partitions.rested()).isEmpty();
  }

  @Test
  void aPartitionWhoseOwnersDiedComesToRestWhenAsMuchWasSettledAsAnOwnerHasInMemory() {
    partitions.hold(ME, List.of(new PartitionOwner(1, ME, 1, 2, 0)));
    HeldPartition held = find(1);
    held.loaded();
    assertThat(held.isCautious()).isTrue();
    for (int i = 0; i < WINDOW - 1; i++) {
      held.itemAdded();
      held.itemSettled();
    }
    assertThat(partitions.rested()).isEmpty();
    held.itemAdded();
    held.itemSettled();
    assertThat(partitions.rested()).containsExactly(1);
    held.calm();
    assertThat(held.isCautious()).isFalse();
  }

  @Test
  void onePartitionsCrashMakesItRestlessAndTwoMakeItCautious() {
    partitions.hold(
        ME,
        List.of(
            new PartitionOwner(0, ME, 1, 0, 0),
            new PartitionOwner(1, ME, 1, 1, 0),
            new PartitionOwner(2, ME, 1, 2, 0)));
    assertThat(find(0).isRestless()).isFalse();
    assertThat(find(1).isRestless()).isTrue();
    assertThat(find(1).isCautious()).isFalse();
    assertThat(find(2).isCautious()).isTrue();
  }

  @Test
  void whatIsPausedIsNotReadable() {
    take(1, 2);
    assertThat(partitions.pauseOnly(Set.of(1))).isFalse();
    assertThat(partitions.readable()).extracting(HeldPartition::partition).containsExactly(2);
    assertThat(partitions.pauseOnly(Set.of(2))).as("1 goes on").isTrue();
    assertThat(partitions.readablePartitions()).containsOnlyKeys(1);
    assertThat(partitions.pauseOnly(Set.of())).isTrue();
    partitions.pauseAll(true);
    assertThat(partitions.readable()).isEmpty();
    assertThat(partitions.areAllPaused()).isTrue();
  }
}
