/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.fault;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * A store that fails when told to. Faults are used up one by one, in the order they were planned.
 * Safe to share between threads.
 *
 * @since 0.1
 */
public final class FaultyStore implements MessageStore {
  /** The steps at which a publisher's or relay's access can fail. */
  public enum Step {
    APPEND,
    JOIN,
    HEARTBEAT,
    SURVEY,
    EXPEL,
    TAKE,
    STORE_FLOORS,
    RELEASE,
    RETIRE,
    LEAVE,
    FORGET,
    READ,
    READ_FLOORS,
    READ_LANES,
    READ_DUE,
    MAKE_DUE,
    SETTLE
  }

  private record Fault(Runnable before, Runnable after) {}

  private final MessageStore store;
  private final Map<Step, Queue<Fault>> faults = new ConcurrentHashMap<>();
  private volatile boolean away;
  private volatile FailingOutcomes failingOutcomes =
      new FailingOutcomes(StoreException.Kind.UNKNOWN, seq -> false);

  private record FailingOutcomes(StoreException.Kind kind, LongPredicate seqs) {
    void check(Settlement settlement) {
      if (settlement.ready().stream().anyMatch(row -> seqs.test(row.seq()))
          || settlement.deferred().stream().anyMatch(row -> seqs.test(row.seq()))) {
        fail(kind);
      }
    }
  }

  public FaultyStore(MessageStore store) {
    this.store = requireNonNull(store, "store");
  }

  /** The next such step fails before it has done anything. */
  public FaultyStore failBefore(Step step) {
    return plan(step, new Fault(FaultyStore::unavailable, () -> {}));
  }

  /** The next such step is done, but its answer is lost. */
  public FaultyStore failAfter(Step step) {
    return plan(step, new Fault(() -> {}, FaultyStore::unavailable));
  }

  /** The next such step fails before it has done anything, for this kind of reason. */
  public FaultyStore failBefore(Step step, StoreException.Kind kind) {
    return plan(step, new Fault(() -> fail(kind), () -> {}));
  }

  /** The store refuses the content of the next such step. */
  public FaultyStore refuse(Step step) {
    return failBefore(step, StoreException.Kind.CONTENT);
  }

  /**
   * From now on each outcome of these messages fails, and with it all that are stored with it.
   * Outcomes that are stored in a handler's transaction are not concerned.
   *
   * @param seqs tells by the number of a message whether it is one of them
   */
  public FaultyStore failOutcomes(StoreException.Kind kind, LongPredicate seqs) {
    failingOutcomes = new FailingOutcomes(kind, seqs);
    return this;
  }

  private static void fail(StoreException.Kind kind) {
    throw new StoreException(kind, "failed by FaultyStore: " + kind, null);
  }

  /** Something else happens before the next such step. */
  public FaultyStore before(Step step, Runnable action) {
    return plan(step, new Fault(action, () -> {}));
  }

  /** Something else happens after the next such step, before its answer arrives. */
  public FaultyStore after(Step step, Runnable action) {
    return plan(step, new Fault(() -> {}, action));
  }

  /** Every step fails until the store is back. */
  public void away(boolean away) {
    this.away = away;
  }

  private FaultyStore plan(Step step, Fault fault) {
    faults.computeIfAbsent(step, key -> new ConcurrentLinkedQueue<>()).add(fault);
    return this;
  }

  private static void unavailable() {
    throw StoreException.unavailable("cut by FaultyStore", null);
  }

  private <T> T at(Step step, Supplier<T> work) {
    if (away) {
      unavailable();
    }
    Queue<Fault> planned = faults.get(step);
    Fault fault = planned == null ? null : planned.poll();
    if (fault == null) {
      return work.get();
    }
    fault.before.run();
    T result = work.get();
    fault.after.run();
    return result;
  }

  @Override
  public int open() {
    return store.open();
  }

  @Override
  public Optional<String> problemWith(Transactions transactions) {
    return store.problemWith(transactions);
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    at(
        Step.APPEND,
        () -> {
          store.append(transaction, messages);
          return true;
        });
  }

  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    store.appendForLogOnly(transaction, messages);
  }

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    return store.claim(transaction, key, messageId, retention);
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    return store.purgeIdempotency(olderThan, limit);
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return store.purgeReady(olderThan, limit);
  }

  @Override
  public TransactionMark mark(Transaction transaction) {
    return store.mark(transaction);
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    return at(Step.SETTLE, () -> store.settle(transaction, me, settlement, limit));
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    return store.purgeHistory(olderThan, limit);
  }

  @Override
  public AdminStore admin() {
    return store.admin();
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    return store.kindOf(failure);
  }

  @Override
  public RelayStore relay(Duration lease) {
    return new FaultyRelayStore(store.relay(lease));
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return store.wakeChannel();
  }

  private final class FaultyRelayStore implements RelayStore {
    private final RelayStore relay;

    FaultyRelayStore(RelayStore relay) {
      this.relay = relay;
    }

    @Override
    public RelayIdentity join(String id, Map<String, Set<String>> handlers) {
      return at(Step.JOIN, () -> relay.join(id, handlers));
    }

    @Override
    public boolean heartbeat(RelayIdentity me, String report) {
      return at(Step.HEARTBEAT, () -> relay.heartbeat(me, report));
    }

    @Override
    public FleetSurvey survey() {
      return at(Step.SURVEY, relay::survey);
    }

    @Override
    public List<RelayIdentity> expelStale(RelayIdentity me) {
      return at(Step.EXPEL, () -> relay.expelStale(me));
    }

    @Override
    public List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen) {
      return at(Step.TAKE, () -> relay.take(me, seen));
    }

    @Override
    public boolean storeFloors(RelayIdentity me, Map<Integer, Long> floors) {
      return at(Step.STORE_FLOORS, () -> relay.storeFloors(me, floors));
    }

    @Override
    public void release(RelayIdentity me, Collection<Integer> partitions) {
      at(
          Step.RELEASE,
          () -> {
            relay.release(me, partitions);
            return true;
          });
    }

    @Override
    public void retire(RelayIdentity me) {
      at(
          Step.RETIRE,
          () -> {
            relay.retire(me);
            return true;
          });
    }

    @Override
    public void leave(RelayIdentity me) {
      at(
          Step.LEAVE,
          () -> {
            relay.leave(me);
            return true;
          });
    }

    @Override
    public void forget(Collection<FleetSurvey.Gone> gone) {
      at(
          Step.FORGET,
          () -> {
            relay.forget(gone);
            return true;
          });
    }

    @Override
    public ReadResult read(ReadRequest request) {
      return at(Step.READ, () -> relay.read(request));
    }

    @Override
    public Map<Integer, Long> findReady(List<SeqRange> ranges, long[] known) {
      return at(Step.READ, () -> relay.findReady(ranges, known));
    }

    @Override
    public Map<Integer, Long> floors(RelayIdentity me) {
      return at(Step.READ_FLOORS, () -> relay.floors(me));
    }

    @Override
    public void raiseSequence(RelayIdentity me, long by) {
      relay.raiseSequence(me, by);
    }

    @Override
    public Map<Integer, Set<String>> deferredHandlers(Collection<Integer> partitions) {
      return at(Step.READ_LANES, () -> relay.deferredHandlers(partitions));
    }

    @Override
    public Set<Integer> raiseDeferredFloors(RelayIdentity me, Collection<Integer> partitions) {
      return relay.raiseDeferredFloors(me, partitions);
    }

    @Override
    public DueResult readDue(DueRequest request) {
      return at(Step.READ_DUE, () -> relay.readDue(request));
    }

    @Override
    public List<DeferredMessage> readHandler(String handler, List<ReadRequest.Slice> slices) {
      return at(Step.READ_LANES, () -> relay.readHandler(handler, slices));
    }

    @Override
    public List<UnclaimedKind> unclaimed(Collection<Integer> partitions, int most) {
      return at(Step.READ_LANES, () -> relay.unclaimed(partitions, most));
    }

    @Override
    public OptionalLong makeDue(RelayIdentity me, UnclaimedKind kind, long afterSeq, int limit) {
      return at(Step.MAKE_DUE, () -> relay.makeDue(me, kind, afterSeq, limit));
    }

    @Override
    public List<LaneId> lanesBlockedByHand(
        Collection<Integer> partitions, Collection<String> handlers, int limit) {
      return at(Step.READ_LANES, () -> relay.lanesBlockedByHand(partitions, handlers, limit));
    }

    @Override
    public Map<String, Integer> countLanes(
        Collection<Integer> partitions, Collection<String> handlers, int most) {
      return at(Step.READ_LANES, () -> relay.countLanes(partitions, handlers, most));
    }

    @Override
    public void calm(RelayIdentity me, Collection<Integer> partitions) {
      at(
          Step.TAKE,
          () -> {
            relay.calm(me, partitions);
            return true;
          });
    }

    @Override
    public boolean settle(RelayIdentity me, Settlement settlement) {
      return at(
          Step.SETTLE,
          () -> {
            failingOutcomes.check(settlement);
            return relay.settle(me, settlement);
          });
    }

    @Override
    public Optional<WakeChannel> wakeChannel() {
      return relay.wakeChannel();
    }

    @Override
    public void close() {
      relay.close();
    }
  }
}
