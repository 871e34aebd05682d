/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionsTest {

  /** Computed with zlib.crc32 of Python: stored rows depend on these numbers for ever. */
  @ParameterizedTest
  @CsvSource({
    "order-1, 1, 0",
    "order-1, 4, 3",
    "order-1, 64, 47",
    "order-1, 1024, 1007",
    "'', 64, 0",
    "ä€😀, 4, 3",
    "ä€😀, 64, 55",
    "ä€😀, 1024, 119",
    "42, 64, 8",
    "42, 1024, 136"
  })
  void aKeyHasThePartitionOfItsUtf8ChecksumWhateverIsNearby(String key, int count, int partition) {
    Partitions partitions = new Partitions(count, () -> List.of(count - 1));

    assertThat(partitions.of(key)).isEqualTo(partition);
    assertThat(partitions.of(key)).as("asked again").isEqualTo(partition);
  }

  @Test
  void keysSpreadOverAllPartitions() {
    Partitions partitions = new Partitions(64, List::of);
    TreeSet<Integer> used = new TreeSet<>();

    for (int i = 0; i < 1_000; i++) {
      used.add(partitions.of("order-" + i));
    }

    assertThat(used).hasSize(64);
  }

  @Test
  void aMessageWithoutKeyGoesToAPartitionNearby() {
    Partitions partitions = new Partitions(64, () -> List.of(3, 5));
    TreeSet<Integer> used = new TreeSet<>();

    for (int i = 0; i < 1_000; i++) {
      used.add(partitions.of(null));
    }

    assertThat(used).containsExactly(3, 5);
  }

  @Test
  void aMessageWithoutKeyGoesAnywhereIfNothingIsNearby() {
    Partitions partitions = new Partitions(4, List::of);
    TreeSet<Integer> used = new TreeSet<>();

    for (int i = 0; i < 1_000; i++) {
      used.add(partitions.of(null));
    }

    assertThat(used).containsExactly(0, 1, 2, 3);
  }
}
