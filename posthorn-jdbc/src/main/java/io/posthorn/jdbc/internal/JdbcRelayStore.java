/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One relay's statements on three connections of its own: leases, reads, settles. Signals go by the
 * first and the last of them.
 */
public final class JdbcRelayStore implements RelayStore {
  private static final Duration MAX_WAIT_FOR_SETTLE = Duration.ofMillis(100);

  /** How many connections a relay keeps. */
  static final int CONNECTIONS = 3;

  private final Dialect dialect;
  private final boolean named;
  private final Tables tables;
  private final LeaseStatements leases;
  private final OwnershipStatements ownership;
  private final SequenceStatements sequence;
  private final ServerHistory history;
  private final ReadStatements reads;
  private final SweepStatements sweeps;
  private final DeferredReadStatements deferredReads;
  private final MovingDeferredFloors deferredFloors;
  private final DueStatements dueReads;
  private final UnclaimedStatements unclaimed;
  private final SettleStatements settles;
  private final Fence fence;
  private final HeldConnection leasing;
  private final HeldConnection reading;
  private final HeldConnection settling;
  private final Optional<String> limit;

  /**
   * For floors, and for what hands partitions over, whose transactions follow each other. If they
   * are lost in a crash, floors are lower than they could be, and the partitions are still this
   * relay's, which has left: others take them when its lease has ended. Whoever takes them durably
   * makes what came before durable as well.
   */
  private final Optional<String> losableLimit;

  /**
   * @param outsidePools whether the connections are the relay's alone, so that they can have its
   *     name
   */
  JdbcRelayStore(
      ConnectionSource source,
      boolean outsidePools,
      Dialect dialect,
      Tables tables,
      Duration lease) {
    this.dialect = dialect;
    this.named = outsidePools && dialect.namesSessions();
    this.tables = tables;
    StoreFailures failures = new StoreFailures(dialect);
    // A relay that is frozen inside a transaction must lose its locks before its lease ends.
    this.limit = dialect.transactionLimit(lease.dividedBy(2));
    this.losableLimit = dialect.nonDurableTransactionLimit(lease.dividedBy(2));
    this.leases = new LeaseStatements(dialect, tables, lease);
    this.ownership = new OwnershipStatements(dialect, tables);
    this.sequence = new SequenceStatements(dialect, tables);
    this.history = new ServerHistory(dialect);
    this.reads = new ReadStatements(dialect, tables, history);
    this.sweeps = new SweepStatements(dialect, tables);
    this.deferredReads = new DeferredReadStatements(dialect, tables);
    this.deferredFloors = new MovingDeferredFloors(dialect, tables, lease.dividedBy(2));
    this.dueReads = new DueStatements(dialect, tables);
    this.unclaimed = new UnclaimedStatements(dialect, tables, limit);
    this.settles = new SettleStatements(dialect, tables, limit);
    this.fence = new Fence(dialect, tables);
    this.leasing = new HeldConnection("lease", source, failures, lease.dividedBy(3));
    this.reading = new HeldConnection("read", source, failures, lease);
    this.settling = new HeldConnection("settle", source, failures, lease);
  }

  @Override
  public RelayIdentity join(String id, Map<String, Set<String>> handlers) {
    if (named) {
      Stream.of(leasing, reading, settling).forEach(held -> held.nameSession("posthorn-" + id));
    }
    // Before there is a delivery whose handler could take the last ones of the pool.
    reading.open();
    settling.open();
    return leasing.inTransaction(limit, connection -> leases.join(connection, id, handlers));
  }

  @Override
  public boolean heartbeat(RelayIdentity me, String report) {
    return leasing.call(connection -> leases.heartbeat(connection, me, report));
  }

  @Override
  public FleetSurvey survey() {
    return leasing.call(leases::survey);
  }

  @Override
  public List<RelayIdentity> expelStale(RelayIdentity me) {
    return leasing.inTransaction(limit, connection -> leases.expelStale(connection, me));
  }

  @Override
  public List<PartitionOwner> take(RelayIdentity me, Collection<PartitionOwner> seen) {
    return leasing.inTransaction(limit, connection -> ownership.take(connection, me, seen));
  }

  @Override
  public void calm(RelayIdentity me, Collection<Integer> partitions) {
    leasing.inTransaction(
        limit,
        connection -> {
          ownership.calm(connection, me, partitions);
          return true;
        });
  }

  @Override
  public boolean storeFloors(RelayIdentity me, Map<Integer, Long> floors) {
    return leasing.inTransaction(
        losableLimit,
        connection -> history.isInUse(connection) && ownership.storeFloors(connection, me, floors));
  }

  @Override
  public void release(RelayIdentity me, Collection<Integer> partitions) {
    leasing.inTransaction(
        losableLimit,
        connection -> {
          ownership.release(connection, me, partitions);
          return true;
        });
  }

  @Override
  public void retire(RelayIdentity me) {
    leasing.inTransaction(
        losableLimit,
        connection -> {
          leases.retire(connection, me);
          return true;
        });
  }

  @Override
  public void leave(RelayIdentity me) {
    leasing.inTransaction(
        losableLimit,
        connection -> {
          leases.leave(connection, me);
          return true;
        });
  }

  @Override
  public void forget(Collection<FleetSurvey.Gone> gone) {
    leasing.call(
        connection -> {
          leases.forget(connection, gone);
          return true;
        });
  }

  @Override
  public ReadResult read(ReadRequest request) {
    return reading.call(connection -> reads.read(connection, request));
  }

  @Override
  public Map<Integer, Long> findReady(List<SeqRange> ranges, long[] known) {
    return reading.call(connection -> sweeps.find(connection, ranges, known));
  }

  @Override
  public Map<Integer, Long> floors(RelayIdentity me) {
    return reading.call(connection -> ownership.floors(connection, me));
  }

  @Override
  public void raiseSequence(RelayIdentity me, long by) {
    reading.inTransaction(
        limit,
        connection -> {
          sequence.raise(connection, me, by);
          return true;
        });
  }

  @Override
  public Map<Integer, Set<String>> deferredHandlers(Collection<Integer> partitions) {
    return reading.call(connection -> deferredFloors.handlers(connection, partitions));
  }

  @Override
  public Set<Integer> raiseDeferredFloors(RelayIdentity me, Collection<Integer> partitions) {
    // Between two settles: those that defer something lock the floors of their partitions.
    return settling
        .inTransactionWithin(
            MAX_WAIT_FOR_SETTLE,
            losableLimit,
            connection ->
                fence.lockMe(connection, me)
                    ? deferredFloors.raise(connection, partitions)
                    : Set.<Integer>of())
        .orElse(Set.of());
  }

  @Override
  public DueResult readDue(DueRequest request) {
    return reading.call(connection -> dueReads.read(connection, request));
  }

  @Override
  public List<DeferredMessage> readHandler(String handler, List<ReadRequest.Slice> slices) {
    return reading.call(connection -> deferredReads.ofHandler(connection, handler, slices));
  }

  @Override
  public List<UnclaimedKind> unclaimed(Collection<Integer> partitions, int most) {
    return reading.call(connection -> unclaimed.kinds(connection, partitions, most));
  }

  @Override
  public OptionalLong makeDue(RelayIdentity me, UnclaimedKind kind, long afterSeq, int rows) {
    return reading.inTransaction(
        limit,
        connection ->
            fence.lockMe(connection, me)
                ? unclaimed.makeDue(connection, kind, afterSeq, rows)
                : OptionalLong.empty());
  }

  @Override
  public List<LaneId> lanesBlockedByHand(
      Collection<Integer> partitions, Collection<String> handlers, int most) {
    return reading.call(
        connection -> deferredReads.lanesBlockedByHand(connection, partitions, handlers, most));
  }

  @Override
  public Map<String, Integer> countLanes(
      Collection<Integer> partitions, Collection<String> handlers, int most) {
    return reading.call(
        connection -> deferredReads.countLanes(connection, partitions, handlers, most));
  }

  @Override
  public boolean settle(RelayIdentity me, Settlement settlement) {
    if (settles.fitsOneStatement(settlement)) {
      return settling.call(
          connection -> settles.deleteDelivered(connection, me, settlement.ready()));
    }
    return settling.inTransaction(
        limit,
        connection -> {
          if (!fence.lockMe(connection, me)) {
            return false;
          }
          settles.settle(connection, settlement);
          return true;
        });
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return dialect.hasNotifications()
        ? Optional.of(PostgresWakeChannel.sharing(settling, leasing, tables.channel()))
        : Optional.empty();
  }

  @Override
  public void close() {
    leasing.close();
    reading.close();
    settling.close();
  }
}
