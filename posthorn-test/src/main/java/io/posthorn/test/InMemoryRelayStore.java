/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadSlice;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.InMemoryTables.HandlerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One relay's access to an in-memory store. */
final class InMemoryRelayStore implements RelayStore {
  private final InMemoryTables tables;
  private final Duration lease;

  InMemoryRelayStore(InMemoryTables tables, Duration lease) {
    this.tables = tables;
    this.lease = lease;
  }

  @Override
  public RelayIdentity join(String id, Map<String, Set<String>> handlers) {
    return tables.locked(
        () -> {
          RelayIdentity me = new RelayIdentity(id, tables.nextIncarnation++);
          tables.instances.put(me, new InMemoryTables.Instance(handlers, end(), false));
          return me;
        });
  }

  @Override
  public boolean heartbeat(RelayIdentity me) {
    return tables.locked(
        () -> tables.instances.computeIfPresent(me, (same, row) -> row.goodUntil(end())) != null);
  }

  private Instant end() {
    return tables.clock.instant().plus(lease);
  }

  private boolean stale(InMemoryTables.Instance instance) {
    return instance.stale(tables.clock.instant());
  }

  @Override
  public FleetSurvey survey() {
    return tables.locked(
        () ->
            new FleetSurvey(
                tables.partitions,
                tables.instances.entrySet().stream()
                    .map(
                        row ->
                            new LiveInstance(
                                row.getKey(), row.getValue().handled(), stale(row.getValue())))
                    .toList(),
                tables.pauses,
                untilStale(),
                tables.gone.stream().map(this::gone).toList()));
  }

  private FleetSurvey.Gone gone(InMemoryTables.Gone row) {
    return new FleetSurvey.Gone(
        row.handler(),
        row.instance(),
        row.types(),
        Duration.between(row.since(), tables.clock.instant()));
  }

  private Duration untilStale() {
    Instant now = tables.clock.instant();
    return tables.instances.values().stream()
        .map(instance -> Duration.between(now, instance.goodUntil()))
        .filter(remaining -> !remaining.isNegative() && remaining.compareTo(lease) < 0)
        .min(Comparator.naturalOrder())
        .orElse(lease);
  }

  @Override
  public List<RelayIdentity> expelStale(RelayIdentity me) {
    return tables.locked(
        () -> {
          List<RelayIdentity> gone =
              tables.instances.entrySet().stream()
                  .filter(row -> stale(row.getValue()))
                  .map(Map.Entry::getKey)
                  .filter(identity -> !identity.equals(me) && !tables.fenced.contains(identity))
                  .toList();
          gone.forEach(identity -> tables.goes(identity, tables.instances.remove(identity)));
          return gone;
        });
  }

  @Override
  public List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen) {
    return tables.locked(
        () -> {
          List<PartitionOwner> taken = new ArrayList<>();
          for (PartitionOwner wanted : seen) {
            PartitionOwner now = tables.partitions.get(wanted.partition());
            if (tables.instances.containsKey(me) && now.epoch() == wanted.epoch()) {
              int crashes = now.crashes() + (now.owner() == null ? 0 : 1);
              PartitionOwner mine =
                  new PartitionOwner(now.partition(), me, now.epoch() + 1, crashes, now.floor());
              tables.partitions.set(now.partition(), mine);
              taken.add(mine);
            }
          }
          return taken;
        });
  }

  @Override
  public void calm(RelayIdentity me, Collection<Integer> partitions) {
    change(
        me,
        partitions,
        now -> new PartitionOwner(now.partition(), me, now.epoch(), 0, now.floor()));
  }

  @Override
  public void release(RelayIdentity me, Collection<Integer> partitions) {
    change(
        me,
        partitions,
        now -> new PartitionOwner(now.partition(), null, now.epoch(), now.crashes(), now.floor()));
  }

  @Override
  public boolean storeFloors(RelayIdentity me, Map<Integer, Long> floors) {
    return change(
        me,
        floors.keySet(),
        now ->
            new PartitionOwner(
                now.partition(),
                me,
                now.epoch(),
                now.crashes(),
                requireNonNull(floors.get(now.partition()))));
  }

  private boolean change(
      RelayIdentity me, Collection<Integer> partitions, UnaryOperator<PartitionOwner> change) {
    return tables.locked(
        () -> {
          if (!tables.instances.containsKey(me)) {
            return false;
          }
          for (int partition : partitions) {
            PartitionOwner now = tables.partitions.get(partition);
            if (me.equals(now.owner())) {
              tables.partitions.set(partition, change.apply(now));
            }
          }
          return true;
        });
  }

  @Override
  public void retire(RelayIdentity me) {
    tables.locked(
        () ->
            Optional.ofNullable(
                tables.instances.computeIfPresent(
                    me,
                    (same, old) -> {
                      tables.goes(me, old);
                      return old.retire();
                    })));
  }

  @Override
  public void leave(RelayIdentity me) {
    tables.locked(
        () -> {
          tables.goes(me, tables.instances.remove(me));
          return me;
        });
  }

  @Override
  public void forget(Collection<FleetSurvey.Gone> gone) {
    tables.locked(
        () ->
            tables.gone.removeIf(
                row ->
                    gone.stream()
                        .anyMatch(
                            one ->
                                one.handler().equals(row.handler())
                                    && one.instance().equals(row.instance()))));
  }

  // --- reads

  @Override
  public ReadResult read(List<ReadSlice> slices, long[] known, boolean mark) {
    Set<Long> skip = Set.copyOf(LongStream.of(known).boxed().toList());
    List<StoredMessage> rows =
        tables.locked(
            () ->
                slices.stream()
                    .flatMap(
                        slice ->
                            tables.ready.values().stream()
                                .filter(
                                    row ->
                                        row.partition() == slice.partition()
                                            && row.seq() > slice.afterSeq())
                                .filter(row -> !skip.contains(row.seq()))
                                .limit(slice.limit()))
                    .map(tables::aged)
                    .sorted(Comparator.comparingLong(StoredMessage::seq))
                    .toList());
    return ReadResult.ofUnknown(rows);
  }

  @Override
  public Map<Integer, Long> floors(RelayIdentity me) {
    return tables.locked(
        () ->
            tables.partitions.stream()
                .filter(partition -> me.equals(partition.owner()))
                .collect(Collectors.toMap(PartitionOwner::partition, PartitionOwner::floor)));
  }

  @Override
  public Map<Integer, Set<String>> deferredHandlers(Collection<Integer> partitions) {
    return tables.locked(
        () -> {
          Map<Integer, Set<String>> found = new HashMap<>();
          tables.deferred.keySet().stream()
              .filter(key -> partitions.contains(key.partition()))
              .forEach(
                  key ->
                      found
                          .computeIfAbsent(key.partition(), any -> new TreeSet<>())
                          .add(key.handler()));
          return found;
        });
  }

  private Stream<Map.Entry<HandlerKey, InMemoryTables.Deferred>> lane(LaneId lane) {
    return tables.deferred.entrySet().stream()
        .filter(
            row ->
                row.getKey().handler().equals(lane.handler())
                    && row.getValue().lane(lane.handler()).filter(lane::equals).isPresent());
  }

  private DeferredMessage deferred(Map.Entry<HandlerKey, InMemoryTables.Deferred> row) {
    return deferred(row, row.getValue().dueAt());
  }

  private DeferredMessage deferred(
      Map.Entry<HandlerKey, InMemoryTables.Deferred> row, @Nullable Instant dueAt) {
    InMemoryTables.Deferred found = row.getValue();
    return new DeferredMessage(
        tables.aged(found.message()),
        row.getKey().handler(),
        found.reason(),
        found.attempts(),
        found.error(),
        tables.until(dueAt),
        Duration.between(found.since(), tables.clock.instant()));
  }

  private static Comparator<DeferredMessage> bySeq() {
    return Comparator.comparingLong(row -> row.message().seq());
  }

  @Override
  public List<DeferredMessage> readBacklog(String handler, List<ReadSlice> slices) {
    return tables.locked(
        () ->
            slices.stream()
                .flatMap(
                    slice ->
                        tables.deferred.entrySet().stream()
                            .filter(row -> row.getKey().partition() == slice.partition())
                            .filter(row -> row.getKey().seq() > slice.afterSeq())
                            .filter(row -> row.getKey().handler().equals(handler))
                            .filter(row -> row.getValue().inLane())
                            .limit(slice.limit()))
                .map(row -> deferred(row, headOf(row).dueAt()))
                .sorted(bySeq())
                .toList());
  }

  private InMemoryTables.Deferred headOf(Map.Entry<HandlerKey, InMemoryTables.Deferred> row) {
    LaneId lane = row.getValue().lane(row.getKey().handler()).orElseThrow();
    return lane(lane).findFirst().orElseThrow().getValue();
  }

  @Override
  public List<DeferredMessage> readLanes(Collection<LaneId> lanes, int limitPerLane) {
    return tables.locked(
        () ->
            lanes.stream()
                .flatMap(lane -> lane(lane).limit(limitPerLane))
                .map(this::deferred)
                .sorted(bySeq())
                .toList());
  }

  private Stream<DeferredMessage> due(
      Collection<Integer> partitions, Collection<String> handlers, boolean inLane) {
    return tables.deferred.entrySet().stream()
        .filter(
            row ->
                partitions.contains(row.getKey().partition())
                    && handlers.contains(row.getKey().handler()))
        .filter(row -> row.getValue().inLane() == inLane && row.getValue().dueAt() != null)
        .map(this::deferred)
        .filter(row -> row.dueIn().isNegative() || row.dueIn().isZero())
        .sorted(Comparator.comparing(DeferredMessage::dueIn).thenComparing(bySeq()));
  }

  @Override
  public List<DeferredMessage> readDue(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return tables.locked(() -> due(partitions, handlers, false).limit(limit).toList());
  }

  @Override
  public List<LaneId> dueLanes(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return tables.locked(
        () ->
            due(partitions, handlers, true)
                .limit(limit)
                .map(
                    row ->
                        new LaneId(
                            row.message().partition(),
                            row.handler(),
                            requireNonNull(row.message().envelope().key())))
                .toList());
  }

  @Override
  public List<LaneId> lanesBlockedByHand(
      Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return tables.locked(
        () ->
            tables.deferred.entrySet().stream()
                .filter(row -> row.getKey().seq() < 0)
                .flatMap(row -> row.getValue().lane(row.getKey().handler()).stream())
                .filter(lane -> partitions.contains(lane.partition()))
                .filter(lane -> handlers.contains(lane.handler()))
                .limit(limit)
                .toList());
  }

  // --- settles

  @Override
  public boolean settle(RelayIdentity me, Settlement settlement) {
    return tables.locked(
        () -> {
          if (!tables.instances.containsKey(me)) {
            return false;
          }
          settlement.ready().forEach(this::settleReady);
          settlement.deferred().forEach(this::settleDeferred);
          return true;
        });
  }

  private void settleReady(Settlement.Ready row) {
    StoredMessage message = tables.ready.remove(new InMemoryTables.Key(row.partition(), row.seq()));
    if (message == null) {
      return;
    }
    for (Settlement.Leftover leftover : row.leftovers()) {
      HandlerKey key = new HandlerKey(row.partition(), row.seq(), leftover.handler());
      boolean keyed = message.envelope().key() != null;
      boolean passed =
          leftover.handler().equals(DeferredMessage.UNDECIDED)
              || (leftover.fate() instanceof Fate.Deferred waits && waits.passed());
      store(key, message, keyed && !passed, leftover.fate(), tables.clock.instant());
    }
    row.kept()
        .forEach(
            handler -> tables.keep(new HandlerKey(row.partition(), row.seq(), handler), message));
  }

  private void settleDeferred(Settlement.Deferred row) {
    HandlerKey key = new HandlerKey(row.partition(), row.seq(), row.handler());
    InMemoryTables.Deferred found = tables.deferred.remove(key);
    if (found != null) {
      boolean passed = row.fate() instanceof Fate.Deferred waits && waits.passed();
      store(key, found.message(), found.inLane() && !passed, row.fate(), found.since());
    }
  }

  private void store(
      HandlerKey key, StoredMessage message, boolean inLane, Fate fate, Instant since) {
    Instant now = tables.clock.instant();
    if (fate instanceof Fate.Deferred waits) {
      Duration dueIn = waits.dueIn();
      Instant atOnce = inLane ? null : now;
      tables.deferred.put(
          key,
          new InMemoryTables.Deferred(
              message,
              inLane,
              waits.reason(),
              waits.attempts(),
              dueIn == null ? atOnce : now.plus(dueIn),
              waits.error(),
              since));
    } else if (fate instanceof Fate.Dead died) {
      tables.dead.put(key, new InMemoryTables.Dead(message, died.attempts(), died.error(), now));
      if (died.blocksLane() && inLane) {
        tables.deferred.put(
            key,
            new InMemoryTables.Deferred(
                message,
                true,
                DeferReason.BLOCKED,
                died.attempts(),
                now.plus(RetryPolicy.LONGEST_DELAY),
                died.error(),
                now));
      }
    } else if (fate instanceof Fate.Delivered delivered && delivered.kept()) {
      tables.keep(key, message);
    } else if (fate instanceof Fate.Ready) {
      tables.insertReady(tables.stored(key.partition(), message.envelope(), message.createdAt()));
    }
  }

  @Override
  public void close() {}
}
