/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.SeqRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The partitions that a relay holds. Guarded by the memory's lock, but for what is kept. */
final class PartitionTable {
  private final Map<Integer, HeldPartition> partitions = new TreeMap<>();
  private final Set<Integer> paused = new HashSet<>();
  private volatile BitSet kept = new BitSet(); // replaced, never changed

  void hold(RelayIdentity me, List<PartitionOwner> taken, long now) {
    for (PartitionOwner partition : taken) {
      partitions.put(partition.partition(), new HeldPartition(me, partition, now));
    }
    noteKept();
  }

  @Nullable HeldPartition find(int number) {
    return partitions.get(number);
  }

  /** Removes a partition that was given up. */
  @Nullable HeldPartition remove(int number) {
    HeldPartition partition = partitions.remove(number);
    if (partition != null) {
      partition.goes();
      noteKept();
    }
    return partition;
  }

  Collection<HeldPartition> all() {
    return partitions.values();
  }

  List<Integer> numbers(Predicate<HeldPartition> wanted) {
    List<Integer> numbers = new ArrayList<>();
    for (HeldPartition partition : partitions.values()) {
      if (wanted.test(partition)) {
        numbers.add(partition.partition());
      }
    }
    return numbers;
  }

  /** Those that may be read now. */
  List<HeldPartition> readable() {
    List<HeldPartition> readable = new ArrayList<>(partitions.size());
    for (HeldPartition partition : partitions.values()) {
      if (partition.isHeld() && !paused.contains(partition.partition())) {
        readable.add(partition);
      }
    }
    return readable;
  }

  /**
   * Pauses these partitions and no others.
   *
   * @return whether one goes on that was paused
   */
  boolean pauseOnly(Set<Integer> numbers) {
    boolean resumed = !numbers.containsAll(paused);
    paused.clear();
    paused.addAll(numbers);
    return resumed;
  }

  /** Notes which partitions are not being drained. */
  void noteKept() {
    BitSet now = new BitSet();
    for (HeldPartition partition : partitions.values()) {
      now.set(partition.partition(), !partition.isDraining());
    }
    kept = now;
  }

  /** Partitions that are not being drained. Any thread. */
  BitSet kept() {
    return kept;
  }

  // --- floors

  Map<Integer, Long> floorsToStore() {
    Map<Integer, Long> floors = new TreeMap<>();
    for (HeldPartition partition : partitions.values()) {
      if (partition.hasFloorToStore()) {
        floors.put(partition.partition(), partition.floorToStore());
      }
    }
    return floors;
  }

  void floorsStored(Map<Integer, Long> floors) {
    floors.forEach(
        (number, floor) -> {
          HeldPartition partition = partitions.get(number);
          if (partition != null) {
            partition.floorStored(floor);
          }
        });
  }

  void resetFloors(Map<Integer, Long> stored) {
    for (HeldPartition partition : partitions.values()) {
      partition.resetFloor(stored.getOrDefault(partition.partition(), 0L));
    }
  }

  Optional<SeqRange> rangeBelowFloor(int number, long after, long width) {
    HeldPartition partition = partitions.get(number);
    if (partition == null || !partition.isHeld() || after >= partition.floor()) {
      return Optional.empty();
    }
    long last = partition.floor() - after <= width ? partition.floor() : after + width;
    return Optional.of(new SeqRange(number, after, last));
  }

  long[] knownIn(List<SeqRange> ranges) {
    LongList known = new LongList();
    for (SeqRange range : ranges) {
      HeldPartition partition = partitions.get(range.partition());
      if (partition != null) {
        partition.addKnown(known, range.after(), range.last());
      }
    }
    return known.toArray();
  }

  void foundBelowFloor(Map<Integer, Long> found) {
    found.forEach(
        (number, seq) -> {
          HeldPartition partition = partitions.get(number);
          if (partition != null) {
            partition.lowerFloor(seq);
          }
        });
  }
}
