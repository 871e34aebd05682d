/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadSlice;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.WakeChannel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message store without a database, for tests: it passes the same contracts as the others. Its
 * clock is its database's clock. Safe to share between threads and relays. Used with {@link
 * InMemoryTransactions}.
 *
 * @since 0.1
 */
public final class InMemoryStore implements MessageStore {
  private final Clock clock;
  private final int partitionCount;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Key, StoredMessage> ready = new TreeMap<>(); // guarded by lock, as all below
  private final Map<DeferredKey, DeferredRow> deferred = new TreeMap<>();
  private final List<StoredRows.Dead> dead = new ArrayList<>();
  private final Map<RelayIdentity, Instance> instances = new LinkedHashMap<>();
  private final List<PartitionOwner> partitions = new ArrayList<>();
  private long nextSeq = 1;
  private long nextIncarnation = 1;

  private record Key(int partition, long seq) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return Comparator.comparingInt(Key::partition)
          .thenComparingLong(Key::seq)
          .compare(this, other);
    }
  }

  private record DeferredKey(int partition, long seq, String handler)
      implements Comparable<DeferredKey> {
    @Override
    public int compareTo(DeferredKey other) {
      return Comparator.comparingInt(DeferredKey::partition)
          .thenComparingLong(DeferredKey::seq)
          .thenComparing(DeferredKey::handler)
          .compare(this, other);
    }
  }

  private record DeferredRow(
      StoredMessage message,
      DeferReason reason,
      int attempts,
      @Nullable Instant dueAt,
      @Nullable String error) {}

  private record Instance(Map<String, Set<String>> handlers, Instant heartbeat) {}

  /**
   * @param partitions how many
   */
  public InMemoryStore(Clock clock, int partitions) {
    this.clock = clock;
    this.partitionCount = partitions;
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new PartitionOwner(i, null, 0));
    }
  }

  @Override
  public int open() {
    return partitionCount;
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    InMemoryTransactions.Open open = transaction.unwrap(InMemoryTransactions.Open.class);
    List<StoredMessage> rows =
        locked(
            () ->
                messages.stream()
                    .map(
                        message -> stored(message.partition(), message.envelope(), clock.instant()))
                    .toList());
    open.write(() -> locked(() -> rows.stream().map(this::insert).toList()));
  }

  private StoredMessage stored(int partition, Envelope envelope, Instant createdAt) {
    return new StoredMessage(partition, nextSeq++, envelope, createdAt, false);
  }

  private StoredMessage insert(StoredMessage row) {
    ready.put(new Key(row.partition(), row.seq()), row);
    return row;
  }

  /** There is no log to be read: nothing is written. */
  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {}

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return locked(
        () -> {
          Instant before = clock.instant().minus(olderThan);
          List<Key> old =
              ready.entrySet().stream()
                  .filter(row -> row.getValue().createdAt().isBefore(before))
                  .map(Map.Entry::getKey)
                  .limit(limit)
                  .toList();
          old.forEach(ready::remove);
          return old.size();
        });
  }

  @Override
  public RelayStore relay(Duration lease) {
    return new View(lease);
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return Optional.empty();
  }

  /** What is stored now. */
  public StoredRows rows() {
    return locked(
        () ->
            new StoredRows(
                ready.values().stream()
                    .map(
                        row ->
                            new StoredRows.Ready(
                                row.partition(),
                                row.seq(),
                                row.envelope().type(),
                                row.envelope().key()))
                    .toList(),
                deferred.entrySet().stream()
                    .map(row -> visible(row.getKey(), row.getValue()))
                    .toList(),
                dead,
                instances.entrySet().stream()
                    .map(row -> new LiveInstance(row.getKey(), row.getValue().handlers, false))
                    .toList(),
                partitions));
  }

  private static StoredRows.Deferred visible(DeferredKey key, DeferredRow row) {
    Envelope envelope = row.message.envelope();
    return new StoredRows.Deferred(
        key.partition,
        key.seq,
        envelope.type(),
        envelope.key(),
        key.handler,
        row.reason.name(),
        row.attempts,
        row.error);
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  private final class View implements RelayStore {
    private final Duration lease;

    View(Duration lease) {
      this.lease = lease;
    }

    @Override
    public RelayIdentity join(String id, Map<String, Set<String>> handlers) {
      return locked(
          () -> {
            RelayIdentity me = new RelayIdentity(id, nextIncarnation++);
            instances.put(me, new Instance(handlers, clock.instant()));
            return me;
          });
    }

    @Override
    public boolean heartbeat(RelayIdentity me) {
      return locked(
          () ->
              instances.computeIfPresent(
                      me, (key, row) -> new Instance(row.handlers, clock.instant()))
                  != null);
    }

    private boolean stale(Instance instance) {
      return instance.heartbeat.plus(lease).isBefore(clock.instant());
    }

    @Override
    public FleetSurvey survey() {
      return locked(
          () ->
              new FleetSurvey(
                  partitions,
                  instances.entrySet().stream()
                      .map(
                          row ->
                              new LiveInstance(
                                  row.getKey(), row.getValue().handlers, stale(row.getValue())))
                      .toList()));
    }

    @Override
    public List<RelayIdentity> expelStale() {
      return locked(
          () -> {
            List<RelayIdentity> gone =
                instances.entrySet().stream()
                    .filter(row -> stale(row.getValue()))
                    .map(Map.Entry::getKey)
                    .toList();
            gone.forEach(instances::remove);
            return gone;
          });
    }

    @Override
    public List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen) {
      return locked(
          () -> {
            List<PartitionOwner> taken = new ArrayList<>();
            for (PartitionOwner wanted : seen) {
              PartitionOwner now = partitions.get(wanted.partition());
              if (instances.containsKey(me) && now.epoch() == wanted.epoch()) {
                PartitionOwner mine = new PartitionOwner(now.partition(), me, now.epoch() + 1);
                partitions.set(now.partition(), mine);
                taken.add(mine);
              }
            }
            return taken;
          });
    }

    @Override
    public void release(RelayIdentity me, Collection<Integer> released) {
      locked(
          () -> {
            for (int partition : released) {
              PartitionOwner now = partitions.get(partition);
              if (instances.containsKey(me) && me.equals(now.owner())) {
                partitions.set(partition, new PartitionOwner(partition, null, now.epoch()));
              }
            }
            return released;
          });
    }

    @Override
    public void leave(RelayIdentity me) {
      locked(() -> Optional.ofNullable(instances.remove(me)));
    }

    @Override
    public ReadResult read(List<ReadSlice> slices, long[] known) {
      Set<Long> skip = Set.copyOf(LongStream.of(known).boxed().toList());
      List<StoredMessage> rows =
          locked(
              () ->
                  slices.stream()
                      .flatMap(
                          slice ->
                              ready.values().stream()
                                  .filter(
                                      row ->
                                          row.partition() == slice.partition()
                                              && row.seq() > slice.afterSeq())
                                  .filter(row -> !skip.contains(row.seq()))
                                  .limit(slice.limit()))
                      .map(this::aged)
                      .sorted(Comparator.comparingLong(StoredMessage::seq))
                      .toList());
      return ReadResult.ofUnknown(rows);
    }

    private StoredMessage aged(StoredMessage row) {
      Instant expiry = row.envelope().expiresAt();
      boolean expired = expiry != null && !expiry.isAfter(clock.instant());
      return new StoredMessage(
          row.partition(), row.seq(), row.envelope(), row.createdAt(), expired);
    }

    @Override
    public List<LaneId> deferredLanes(Collection<Integer> wanted) {
      return locked(
          () ->
              deferred.entrySet().stream()
                  .filter(row -> wanted.contains(row.getKey().partition))
                  .filter(row -> !row.getKey().handler.equals(DeferredMessage.UNDECIDED))
                  .flatMap(row -> laneOf(row.getKey(), row.getValue()))
                  .distinct()
                  .toList());
    }

    private Stream<LaneId> laneOf(DeferredKey key, DeferredRow row) {
      String messageKey = row.message.envelope().key();
      return messageKey == null
          ? Stream.empty()
          : Stream.of(new LaneId(key.partition, key.handler, messageKey));
    }

    @Override
    public List<DeferredMessage> readLanes(Collection<LaneId> lanes, int limitPerLane) {
      return locked(
          () ->
              lanes.stream()
                  .flatMap(
                      lane ->
                          deferred.entrySet().stream()
                              .filter(
                                  row ->
                                      laneOf(row.getKey(), row.getValue()).anyMatch(lane::equals))
                              .limit(limitPerLane))
                  .map(row -> deferred(row.getKey(), row.getValue()))
                  .sorted(Comparator.comparingLong(row -> row.message().seq()))
                  .toList());
    }

    private DeferredMessage deferred(DeferredKey key, DeferredRow row) {
      Duration dueIn =
          row.dueAt == null ? Duration.ZERO : Duration.between(clock.instant(), row.dueAt);
      return new DeferredMessage(
          aged(row.message), key.handler, row.reason, row.attempts, row.error, dueIn);
    }

    @Override
    public List<DeferredMessage> readDue(
        Collection<Integer> wanted, Collection<String> handlers, int limit) {
      return locked(
          () ->
              deferred.entrySet().stream()
                  .filter(
                      row ->
                          wanted.contains(row.getKey().partition)
                              && handlers.contains(row.getKey().handler))
                  .filter(
                      row ->
                          row.getValue().message.envelope().key() == null
                              || row.getKey().handler.equals(DeferredMessage.UNDECIDED))
                  .map(row -> deferred(row.getKey(), row.getValue()))
                  .filter(row -> row.dueIn().isNegative() || row.dueIn().isZero())
                  .sorted(
                      Comparator.comparing(DeferredMessage::dueIn)
                          .thenComparing(row -> row.message().seq()))
                  .limit(limit)
                  .toList());
    }

    @Override
    public boolean settle(RelayIdentity me, Settlement settlement) {
      return locked(
          () -> {
            if (!instances.containsKey(me)) {
              return false;
            }
            settlement.ready().forEach(this::settleReady);
            settlement.deferred().forEach(this::settleDeferred);
            return true;
          });
    }

    private void settleReady(Settlement.Ready row) {
      StoredMessage message = ready.remove(new Key(row.partition(), row.seq()));
      if (message == null) {
        return;
      }
      for (Settlement.Leftover leftover : row.leftovers()) {
        DeferredKey key = new DeferredKey(row.partition(), row.seq(), leftover.handler());
        store(key, message, leftover.fate());
      }
    }

    private void settleDeferred(Settlement.Deferred row) {
      DeferredKey key = new DeferredKey(row.partition(), row.seq(), row.handler());
      DeferredRow found = deferred.remove(key);
      if (found != null) {
        store(key, found.message, row.fate());
      }
    }

    private void store(DeferredKey key, StoredMessage message, Fate fate) {
      if (fate instanceof Fate.Deferred waits) {
        Duration dueIn = waits.dueIn();
        Instant dueAt = dueIn == null ? null : clock.instant().plus(dueIn);
        deferred.put(
            key, new DeferredRow(message, waits.reason(), waits.attempts(), dueAt, waits.error()));
      } else if (fate instanceof Fate.Dead died) {
        Envelope envelope = message.envelope();
        dead.add(
            new StoredRows.Dead(
                key.partition,
                key.seq,
                envelope.type(),
                envelope.key(),
                key.handler,
                died.attempts(),
                died.error()));
      } else if (fate instanceof Fate.Ready) {
        insert(stored(key.partition, message.envelope(), message.createdAt()));
      }
    }

    @Override
    public void close() {}
  }
}
