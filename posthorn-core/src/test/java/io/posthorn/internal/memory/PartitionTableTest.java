/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.RelayOptionsFixture;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Floors that are being stored while the reader finds out that they no longer hold. */
class PartitionTableTest {
  private static final RelayIdentity ME = new RelayIdentity("a", 1);

  private final MemoryLock lock = new MemoryLock();
  private final PartitionTable partitions =
      new PartitionTable(lock, () -> 0, RelayOptionsFixture.standard());

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
    partitions.floorsStored(partitions.floorsToStore());
    assertThat(partitions.floorsToStore()).isEmpty();
  }

  @Test
  void floorsFromBeforeADoubtDoNotCountAsStored() {
    hold(100, 900);
    var before = partitions.floorsToStore();
    partitions.resetFloors(Map.of());
    partitions.floorsStored(before);
    assertThat(partitions.floorsToStore())
        .as("900 is stored, and rows may come below it")
        .containsEntry(0, 0L);
  }
}
