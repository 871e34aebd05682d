/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.RelayOptions;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.Ticker;
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

/**
 * The partitions that a relay holds, and how far they have been read. What is public takes the
 * memory's lock; the rest is called within it.
 */
public final class PartitionTable {
  /** How far above all that is stored to raise a sequence that has gone back. */
  public static final long SEQUENCE_RAISE = Horizon.RAISE;

  private final MemoryLock lock;
  private final Ticker ticker;
  private final RelayOptions options;
  private final Map<Integer, HeldPartition> partitions = new TreeMap<>();
  private final Set<Integer> paused = new HashSet<>();
  private boolean allPaused;
  private Horizon horizon;
  private volatile BitSet kept = new BitSet(); // replaced, never changed

  PartitionTable(MemoryLock lock, Ticker ticker, RelayOptions options) {
    this.lock = lock;
    this.ticker = ticker;
    this.options = options;
    this.horizon = new Horizon(ticker.nanos(), options.lookBack().toNanos());
  }

  // --- what is held

  /** Partitions came to this relay. They are read once it is known who has deferred rows there. */
  public void hold(RelayIdentity me, List<PartitionOwner> taken) {
    lock.run(
        () -> {
          for (PartitionOwner row : taken) {
            partitions.put(row.partition(), new HeldPartition(me, row, ticker.nanos()));
          }
          noteKept();
        });
  }

  /** Partitions held, those being drained included, with their epochs. */
  public Map<Integer, Long> epochs() {
    return lock.get(
        () -> {
          Map<Integer, Long> epochs = new TreeMap<>();
          partitions.values().forEach(held -> epochs.put(held.partition(), held.epoch()));
          return epochs;
        });
  }

  /** Partitions that are not being drained. */
  public List<Integer> kept() {
    return kept.stream().boxed().toList();
  }

  /** Whether one of these partitions is held and not being drained. */
  public boolean keepsOneOf(BitSet wanted) {
    return kept.intersects(wanted);
  }

  /** Whether all of these partitions are held and not being drained. */
  public boolean keepsAllOf(BitSet wanted) {
    BitSet others = (BitSet) wanted.clone();
    others.andNot(kept);
    return others.isEmpty();
  }

  /** Drained partitions of which nothing is in memory any more. */
  public List<Integer> drained() {
    return lock.get(() -> numbers(HeldPartition::isDrained));
  }

  /**
   * Partitions of which an owner had died, and which have come to rest since. Quiet for a while,
   * what was due has been read.
   */
  public List<Integer> rested() {
    long quiet = 2 * options.pollInterval().toNanos();
    int window = options.windowMessages();
    return lock.get(
        () -> {
          long now = ticker.nanos();
          return numbers(held -> held.isRestless() && held.isAtRest(now, quiet, window));
        });
  }

  /** Earlier crashes of their owners no longer count for these partitions. */
  public void calmed(Collection<Integer> numbers) {
    lock.run(() -> find(numbers).forEach(HeldPartition::calm));
  }

  // --- floors

  /**
   * The floors to store, by partition.
   *
   * @param rise how far above the stored one a floor has to be; a lower one is always stored
   */
  public Map<Integer, Long> floorsToStore(long rise) {
    return lock.get(
        () -> {
          Map<Integer, Long> floors = new TreeMap<>();
          for (HeldPartition partition : partitions.values()) {
            if (partition.hasFloorToStore(rise)) {
              floors.put(partition.partition(), partition.floorToStore());
            }
          }
          return floors;
        });
  }

  /** These floors were stored. */
  public void floorsStored(Map<Integer, Long> floors) {
    lock.run(
        () ->
            find(floors.keySet())
                .forEach(held -> held.floorStored(floors.getOrDefault(held.partition(), 0L))));
  }

  /** Only the stored floors count from now on: the server may have crashed. */
  public void resetFloors(Map<Integer, Long> stored) {
    lock.run(() -> resetFloors(stored, horizon.anew(ticker.nanos())));
  }

  /** Whether rows can appear below the floors, so that they have to be looked for. */
  public boolean floorsUnsure() {
    return lock.get(() -> horizon.unsure());
  }

  /**
   * What may be looked at below the floor of a partition; empty if there is nothing.
   *
   * @param after negative for the first range, which there is even if the floor is at the beginning
   */
  public Optional<SeqRange> rangeBelowFloor(int number, long after, long width) {
    return lock.get(
        () -> {
          HeldPartition partition = partitions.get(number);
          if (partition == null
              || !partition.isHeld()
              || (after >= 0 && after >= partition.floor())) {
            return Optional.empty();
          }
          long from = Math.max(0, after);
          long last = partition.floor() - from <= width ? partition.floor() : from + width;
          return Optional.of(new SeqRange(number, from, last));
        });
  }

  /** The seqs in memory within these ranges. */
  public long[] knownIn(List<SeqRange> ranges) {
    return lock.get(
        () -> {
          LongList known = new LongList();
          for (SeqRange range : ranges) {
            HeldPartition partition = partitions.get(range.partition());
            if (partition != null) {
              partition.addKnown(known, range.after(), range.last());
            }
          }
          return known.toArray();
        });
  }

  /** Rows were found below the floors of these partitions, the lowest at these seqs. */
  public void foundBelowFloor(Map<Integer, Long> found) {
    lock.run(
        () ->
            find(found.keySet())
                .forEach(held -> held.lowerFloor(found.getOrDefault(held.partition(), 0L))));
  }

  /** Partitions that may be read now, by number. */
  public Map<Integer, HeldPartition> readablePartitions() {
    return lock.get(
        () -> {
          Map<Integer, HeldPartition> readable = new TreeMap<>();
          readable().forEach(partition -> readable.put(partition.partition(), partition));
          return readable;
        });
  }

  // --- within the lock

  /** Only the stored floors count from now on: the database may have lost commits. */
  void forgetHistory(Map<Integer, Long> stored) {
    resetFloors(stored, new Horizon(ticker.nanos(), options.lookBack().toNanos()));
  }

  private void resetFloors(Map<Integer, Long> stored, Horizon unknown) {
    horizon = unknown;
    for (HeldPartition partition : partitions.values()) {
      partition.resetFloor(stored.getOrDefault(partition.partition(), 0L));
    }
  }

  /** Other transactions, as far as reads have told of them. */
  Horizon horizon() {
    return horizon;
  }

  @Nullable HeldPartition find(int number) {
    return partitions.get(number);
  }

  /** Those of them that are held. */
  List<HeldPartition> find(Collection<Integer> numbers) {
    List<HeldPartition> found = new ArrayList<>(numbers.size());
    for (int number : numbers) {
      HeldPartition partition = partitions.get(number);
      if (partition != null) {
        found.add(partition);
      }
    }
    return found;
  }

  /** Removes a partition that was given up; false if it was not held. */
  boolean remove(int number) {
    HeldPartition partition = partitions.remove(number);
    if (partition != null) {
      partition.goes();
      noteKept();
    }
    return partition != null;
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

  /** Partitions of which it is not known yet who has deferred rows. */
  List<HeldPartition> loading() {
    return partitions.values().stream().filter(HeldPartition::isLoading).toList();
  }

  /** Those that may be read now. */
  List<HeldPartition> readable() {
    List<HeldPartition> readable = new ArrayList<>(partitions.size());
    for (HeldPartition partition : partitions.values()) {
      if (isReadable(partition)) {
        readable.add(partition);
      }
    }
    return readable;
  }

  /** Whether one of them may have rows that have not been read. */
  boolean hasMore() {
    for (HeldPartition partition : partitions.values()) {
      if (partition.hasMore() && isReadable(partition)) {
        return true;
      }
    }
    return false;
  }

  private boolean isReadable(HeldPartition partition) {
    return partition.isHeld() && !allPaused && !paused.contains(partition.partition());
  }

  void pauseAll(boolean pause) {
    allPaused = pause;
  }

  boolean areAllPaused() {
    return allPaused;
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
}
