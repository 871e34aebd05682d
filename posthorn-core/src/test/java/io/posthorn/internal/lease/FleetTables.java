/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tables of partitions and instances, and a place for outcomes; nothing can be read. */
public final class FleetTables implements RelayStore {
  final Map<Integer, PartitionOwner> partitions = new TreeMap<>();
  final Map<RelayIdentity, LiveInstance> instances = new TreeMap<>();
  final Set<RelayIdentity> inSettle = new HashSet<>(); // cannot be expelled now
  final Set<FleetSurvey.Pause> pauses = new HashSet<>();
  final List<FleetSurvey.Gone> gone = new ArrayList<>();
  final Set<Integer> calmed = new HashSet<>();
  final Set<RelayIdentity> retired = new HashSet<>();
  Duration untilStale = Duration.ofSeconds(30);
  boolean refusesFloors;
  int heartbeats;
  int surveys;
  Runnable whenTaking = () -> {};
  Runnable whenSurveyed = () -> {};
  Predicate<Settlement> settles = settlement -> true;
  private long incarnations;

  public FleetTables(int partitions) {
    for (int i = 0; i < partitions; i++) {
      this.partitions.put(i, new PartitionOwner(i, null, 0));
    }
  }

  /** What a settle answers; it may throw. */
  public void settles(Predicate<Settlement> answer) {
    settles = answer;
  }

  /** Another relay joins. */
  RelayIdentity joined(String id) {
    return join(id, Map.of("mailer", Set.of("order")));
  }

  void owns(int partition, @Nullable RelayIdentity owner) {
    own(partition, owner, 0, 0);
  }

  private void own(int partition, @Nullable RelayIdentity owner, int crashes, long floor) {
    PartitionOwner before = partitions.get(partition);
    long epoch = before == null ? 0 : before.epoch();
    partitions.put(partition, new PartitionOwner(partition, owner, epoch + 1, crashes, floor));
  }

  /** The stated end of an instance has passed. */
  void goesStale(RelayIdentity identity) {
    setStale(identity, true);
  }

  private void setStale(RelayIdentity identity, boolean stale) {
    instances.computeIfPresent(
        identity, (any, now) -> new LiveInstance(identity, now.handlers(), stale));
  }

  /** Somebody else has expelled it. */
  public void expel(RelayIdentity identity) {
    instances.remove(identity);
  }

  List<Integer> ownedBy(RelayIdentity owner) {
    return partitions.values().stream()
        .filter(row -> owner.equals(row.owner()))
        .map(PartitionOwner::partition)
        .toList();
  }

  // --- leases

  @Override
  public RelayIdentity join(String id, Map<String, Set<String>> handlers) {
    RelayIdentity me = new RelayIdentity(id, ++incarnations);
    instances.put(me, new LiveInstance(me, handlers, false));
    return me;
  }

  @Override
  public boolean heartbeat(RelayIdentity me, String report) {
    heartbeats++;
    setStale(me, false);
    return instances.containsKey(me);
  }

  @Override
  public FleetSurvey survey() {
    surveys++;
    FleetSurvey survey =
        new FleetSurvey(
            List.copyOf(partitions.values()),
            List.copyOf(instances.values()),
            pauses,
            untilStale,
            gone);
    whenSurveyed.run();
    return survey;
  }

  @Override
  public List<RelayIdentity> expelStale(RelayIdentity me) {
    List<RelayIdentity> expelled =
        instances.values().stream()
            .filter(LiveInstance::stale)
            .map(LiveInstance::identity)
            .filter(identity -> !identity.equals(me) && !inSettle.contains(identity))
            .toList();
    expelled.forEach(instances::remove);
    return expelled;
  }

  @Override
  public List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen) {
    List<PartitionOwner> taken = new ArrayList<>();
    for (PartitionOwner row : seen) {
      PartitionOwner now = partitions.get(row.partition());
      if (now != null && now.epoch() == row.epoch()) {
        own(row.partition(), me, now.crashes(), now.floor());
        taken.add(partitions.get(row.partition()));
      }
    }
    whenTaking.run();
    return taken;
  }

  @Override
  public void calm(RelayIdentity me, Collection<Integer> numbers) {
    calmed.addAll(numbers);
  }

  @Override
  public boolean storeFloors(RelayIdentity me, Map<Integer, Long> floors) {
    if (refusesFloors) {
      return false;
    }
    floors.forEach(
        (number, floor) ->
            partitions.computeIfPresent(
                number,
                (any, row) ->
                    new PartitionOwner(number, row.owner(), row.epoch(), row.crashes(), floor)));
    return true;
  }

  @Override
  public void release(RelayIdentity me, Collection<Integer> numbers) {
    for (int number : numbers) {
      PartitionOwner row = partitions.get(number);
      if (row != null) {
        own(number, null, 0, row.floor());
      }
    }
  }

  @Override
  public void retire(RelayIdentity me) {
    retired.add(me);
    instances.put(me, new LiveInstance(me, Map.of(), false));
  }

  @Override
  public void leave(RelayIdentity me) {
    instances.remove(me);
  }

  @Override
  public void forget(Collection<FleetSurvey.Gone> forgotten) {
    gone.removeAll(forgotten);
  }

  // --- settles

  @Override
  public boolean settle(RelayIdentity me, Settlement settlement) {
    return instances.containsKey(me) && settles.test(settlement);
  }

  // --- what these tests do not come to

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("leases and settles only");
  }

  @Override
  public ReadResult read(ReadRequest request) {
    throw unused();
  }

  @Override
  public Map<Integer, Long> findReady(List<SeqRange> ranges, long[] known) {
    throw unused();
  }

  @Override
  public Map<Integer, Long> floors(RelayIdentity me) {
    throw unused();
  }

  @Override
  public Map<Integer, Set<String>> deferredHandlers(Collection<Integer> numbers) {
    throw unused();
  }

  @Override
  public Set<Integer> raiseDeferredFloors(RelayIdentity me, Collection<Integer> numbers) {
    throw unused();
  }

  @Override
  public DueResult readDue(DueRequest request) {
    throw unused();
  }

  @Override
  public List<DeferredMessage> readHandler(String handler, List<ReadRequest.Slice> slices) {
    throw unused();
  }

  @Override
  public List<UnclaimedKind> unclaimed(Collection<Integer> numbers, int most) {
    throw unused();
  }

  @Override
  public OptionalLong makeDue(RelayIdentity me, UnclaimedKind kind, long afterSeq, int limit) {
    throw unused();
  }

  @Override
  public List<LaneId> lanesBlockedByHand(
      Collection<Integer> numbers, Collection<String> handlers, int limit) {
    throw unused();
  }

  @Override
  public Map<String, Integer> countLanes(
      Collection<Integer> numbers, Collection<String> handlers, int most) {
    throw unused();
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    throw unused();
  }

  @Override
  public void close() {}
}
