/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.RetryPolicy;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.WakeChannel;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
          tables.instances.put(
              me, new InMemoryTables.Instance(handlers, end(), lease, false, null));
          return me;
        });
  }

  @Override
  public boolean heartbeat(RelayIdentity me, String report) {
    return tables.locked(
        () ->
            tables.instances.computeIfPresent(me, (same, row) -> row.beat(end(), report)) != null);
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
          Instant now = tables.clock.instant();
          tables.instances.replaceAll(
              (any, row) -> row.isAhead(now) ? row.goodUntil(now.plus(row.lease())) : row);
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
  public ReadResult read(ReadRequest request) {
    Set<Long> skip = Set.copyOf(LongStream.of(request.known()).boxed().toList());
    return tables.locked(
        () -> {
          List<StoredMessage> rows = new ArrayList<>();
          long bytes = 0;
          for (ReadRequest.Slice slice : request.slices()) {
            int left = slice.limit();
            for (StoredMessage row : ready(slice.partition(), slice.afterSeq())) {
              boolean cut = rows.size() >= request.maxRows() || bytes >= request.maxBytes();
              if (left > 0 && !cut && !skip.contains(row.seq())) {
                rows.add(tables.aged(row));
                bytes += bytes(row);
                left--;
              }
            }
          }
          rows.sort(Comparator.comparingLong(StoredMessage::seq));
          List<long[]> heads = new ArrayList<>();
          if (!request.lanes().handlers().isEmpty()) {
            Map<LaneId, Long> first = tables.firstOfLanes();
            rows.forEach(row -> heads.add(heads(row, request.lanes(), first)));
          }
          boolean cut = rows.size() >= request.maxRows() || bytes >= request.maxBytes();
          return ReadResult.ofUnknown(rows, heads, cut);
        });
  }

  private List<StoredMessage> ready(int partition, long afterSeq) {
    return tables.ready.values().stream()
        .filter(row -> row.partition() == partition && row.seq() > afterSeq)
        .toList();
  }

  private static long bytes(StoredMessage row) {
    return (long) ReadRequest.ROW_OVERHEAD_BYTES + row.envelope().bytes();
  }

  private static long[] heads(
      StoredMessage row, ReadRequest.Lanes lanes, Map<LaneId, Long> firstOfLanes) {
    String key = row.envelope().key();
    boolean asked = lanes.partitions().contains(row.partition());
    return lanes.handlers().stream()
        .mapToLong(
            handler ->
                key == null || !asked
                    ? ReadResult.NO_HEAD
                    : firstOfLanes.getOrDefault(
                        new LaneId(row.partition(), handler, key), ReadResult.NO_HEAD))
        .toArray();
  }

  @Override
  public Map<Integer, Long> findReady(List<SeqRange> ranges, long[] known) {
    Set<Long> skip = Set.copyOf(LongStream.of(known).boxed().toList());
    return tables.locked(
        () -> {
          Map<Integer, Long> found = new HashMap<>();
          for (SeqRange range : ranges) {
            ready(range.partition(), range.after()).stream()
                .map(StoredMessage::seq)
                .filter(seq -> seq <= range.last() && !skip.contains(seq))
                .findFirst()
                .ifPresent(seq -> found.put(range.partition(), seq));
          }
          return found;
        });
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
        .filter(row -> row.getKey().partition() == lane.partition())
        .filter(row -> row.getKey().handler().equals(lane.handler()))
        .filter(row -> lane.key().equals(row.getValue().message().envelope().key()))
        .filter(row -> row.getValue().inLane());
  }

  private DeferredMessage deferred(Map.Entry<HandlerKey, InMemoryTables.Deferred> row) {
    InMemoryTables.Deferred found = row.getValue();
    return new DeferredMessage(
        tables.aged(found.message()),
        row.getKey().handler(),
        found.inLane(),
        found.reason(),
        found.attempts(),
        found.error(),
        tables.until(found.dueAt()),
        Duration.between(found.since(), tables.clock.instant()));
  }

  private static DeferredMessage withoutWhatIsLarge(DeferredMessage row) {
    StoredMessage message = row.message();
    Envelope envelope = message.envelope();
    Envelope small =
        new Envelope(
            envelope.id(),
            envelope.type(),
            envelope.aggregateType(),
            envelope.key(),
            envelope.tenant(),
            Map.of(),
            envelope.contentType(),
            new byte[0],
            envelope.occurredAt(),
            envelope.expiresAt());
    return new DeferredMessage(
        new StoredMessage(
            message.partition(), message.seq(), small, message.createdAt(), message.expiresIn()),
        row.handler(),
        row.inLane(),
        row.reason(),
        row.attempts(),
        row.lastError(),
        row.dueIn(),
        row.waited());
  }

  @Override
  public Set<Integer> raiseDeferredFloors(RelayIdentity me, Collection<Integer> partitions) {
    return Set.copyOf(partitions); // what is gone costs nothing here
  }

  @Override
  public DueResult readDue(DueRequest request) {
    return tables.locked(
        () -> {
          List<DeferredMessage> rows = new ArrayList<>();
          long bytes = 0;
          Map<LaneId, Long> first = tables.firstOfLanes();
          Set<DueRequest.Row> known = Set.copyOf(request.known());
          for (DueRequest.Heads slice : request.slices()) {
            for (Map.Entry<HandlerKey, InMemoryTables.Deferred> head : heads(slice, known, first)) {
              for (DeferredMessage row : fromHead(head, request.rowsPerLane())) {
                if (rows.size() < request.maxRows() && bytes < request.maxBytes()) {
                  rows.add(row);
                  bytes += bytes(row.message());
                }
              }
            }
          }
          return new DueResult(
              rows, rows.size() >= request.maxRows() || bytes >= request.maxBytes());
        });
  }

  private List<Map.Entry<HandlerKey, InMemoryTables.Deferred>> heads(
      DueRequest.Heads slice, Set<DueRequest.Row> known, Map<LaneId, Long> firstOfLanes) {
    Instant now = tables.clock.instant();
    return tables.deferred.entrySet().stream()
        .filter(row -> row.getKey().partition() == slice.partition())
        .filter(row -> row.getKey().handler().equals(slice.handler()))
        .filter(row -> row.getValue().dueAt() != null && !row.getValue().dueAt().isAfter(now))
        .filter(row -> !known.contains(id(row.getKey())))
        .filter(row -> standsFirst(row, firstOfLanes))
        .sorted(
            Comparator.comparing(
                    (Map.Entry<HandlerKey, InMemoryTables.Deferred> row) ->
                        requireNonNull(row.getValue().dueAt()))
                .thenComparing(row -> row.getKey().seq()))
        .limit(slice.most())
        .toList();
  }

  private static DueRequest.Row id(HandlerKey key) {
    return new DueRequest.Row(key.partition(), key.seq(), key.handler());
  }

  private static boolean standsFirst(
      Map.Entry<HandlerKey, InMemoryTables.Deferred> row, Map<LaneId, Long> firstOfLanes) {
    LaneId lane = row.getValue().lane(row.getKey().handler()).orElse(null);
    return lane == null
        || firstOfLanes.getOrDefault(lane, row.getKey().seq()) == row.getKey().seq();
  }

  private List<DeferredMessage> fromHead(
      Map.Entry<HandlerKey, InMemoryTables.Deferred> head, int rowsPerLane) {
    LaneId lane = head.getValue().lane(head.getKey().handler()).orElse(null);
    return lane == null || rowsPerLane == 1
        ? List.of(deferred(head))
        : lane(lane).limit(rowsPerLane).map(this::deferred).toList();
  }

  @Override
  public List<DeferredMessage> readHandler(String handler, List<ReadRequest.Slice> slices) {
    return tables.locked(
        () ->
            slices.stream()
                .flatMap(
                    slice ->
                        tables.deferred.entrySet().stream()
                            .filter(row -> row.getKey().partition() == slice.partition())
                            .filter(row -> row.getKey().seq() > slice.afterSeq())
                            .filter(row -> row.getKey().handler().equals(handler))
                            .limit(slice.limit()))
                .map(row -> withoutWhatIsLarge(deferred(row)))
                .sorted(Comparator.comparingLong(row -> row.message().seq()))
                .toList());
  }

  @Override
  public List<UnclaimedKind> unclaimed(Collection<Integer> partitions, int most) {
    return tables.locked(
        () ->
            partitions.stream()
                .flatMap(
                    partition ->
                        tables.deferred.entrySet().stream()
                            .filter(row -> row.getKey().partition() == partition)
                            .filter(row -> row.getValue().reason().isUnclaimed())
                            .map(InMemoryRelayStore::kind)
                            .distinct()
                            .limit(most))
                .toList());
  }

  private static UnclaimedKind kind(Map.Entry<HandlerKey, InMemoryTables.Deferred> row) {
    return new UnclaimedKind(
        row.getKey().partition(),
        row.getValue().reason(),
        row.getKey().handler(),
        row.getValue().message().envelope().type());
  }

  @Override
  public OptionalLong makeDue(RelayIdentity me, UnclaimedKind kind, long afterSeq, int limit) {
    return tables.locked(
        () -> {
          if (!tables.instances.containsKey(me)) {
            return OptionalLong.empty();
          }
          Instant now = tables.clock.instant();
          List<Map.Entry<HandlerKey, InMemoryTables.Deferred>> page =
              tables.deferred.entrySet().stream()
                  .filter(row -> kind(row).equals(kind) && row.getKey().seq() > afterSeq)
                  .limit(limit)
                  .toList();
          page.stream()
              .filter(row -> row.getValue().dueAt() == null || row.getValue().dueAt().isAfter(now))
              .forEach(row -> tables.deferred.put(row.getKey(), row.getValue().dueAt(now)));
          return page.size() < limit
              ? OptionalLong.empty()
              : OptionalLong.of(page.get(limit - 1).getKey().seq());
        });
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

  @Override
  public Map<String, Integer> countLanes(
      Collection<Integer> partitions, Collection<String> handlers, int most) {
    return tables.locked(
        () -> {
          Map<String, Integer> counts = new HashMap<>();
          tables.deferred.entrySet().stream()
              .flatMap(row -> row.getValue().lane(row.getKey().handler()).stream())
              .distinct()
              .filter(lane -> partitions.contains(lane.partition()))
              .filter(lane -> handlers.contains(lane.handler()))
              .forEach(lane -> counts.merge(lane.handler(), 1, Integer::sum));
          return counts;
        });
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
          if (!settlement.deferred().isEmpty()
              || settlement.ready().stream().anyMatch(row -> !row.leftovers().isEmpty())) {
            tables.wakeLanes();
          }
          return true;
        });
  }

  private void settleReady(Settlement.Ready row) {
    InMemoryTables.Key place = new InMemoryTables.Key(row.partition(), row.seq());
    StoredMessage message = tables.ready.get(place);
    if (message == null || !message.envelope().id().equals(row.id())) {
      return;
    }
    tables.ready.remove(place);
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
            handler ->
                tables.keep(new HandlerKey(row.partition(), row.seq(), handler), message, null));
  }

  private void settleDeferred(Settlement.Deferred row) {
    HandlerKey key = new HandlerKey(row.partition(), row.seq(), row.handler());
    InMemoryTables.Deferred found = tables.deferred.get(key);
    if (found != null
        && found.message().envelope().id().equals(row.id())
        && !isBuried(row, found)) {
      tables.deferred.remove(key);
      boolean passed = row.fate() instanceof Fate.Deferred waits && waits.passed();
      boolean newlyUnclaimed =
          row.fate() instanceof Fate.Deferred waits
              && waits.reason() == DeferReason.UNCLAIMED
              && found.reason() != DeferReason.UNCLAIMED;
      Instant since = newlyUnclaimed ? tables.clock.instant() : found.since();
      store(key, found.message(), found.inLane() && !passed, row.fate(), since);
    }
  }

  /** Whether the message is a dead letter already, and what was found the marker of its lane. */
  private static boolean isBuried(Settlement.Deferred row, InMemoryTables.Deferred found) {
    return row.fate() instanceof Fate.Dead && found.reason() == DeferReason.BLOCKED;
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
      tables.keep(key, message, null);
    } else if (fate instanceof Fate.Ready) {
      tables.insertReady(tables.stored(key.partition(), message.envelope(), message.createdAt()));
    }
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
