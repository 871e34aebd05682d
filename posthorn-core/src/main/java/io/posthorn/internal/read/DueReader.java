/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.memory.HeldPartition;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reads deferred rows whose time has come. Which handlers have any is looked up now and then; with
 * none there is nothing to read. Reader's thread only, but for the requests.
 */
final class DueReader {
  private static final int MAX_BLOCKED_BY_HAND = 10_000;
  private static final int MAX_ROWS_COUNTED = 200;
  private static final int COUNT_REST = 50;
  private static final int ROWS_PER_RAISE = 2_000;
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final RelayStore store;
  private final DueIntake memory;
  private final DeferredRouting routing;
  private final Ticker ticker;
  private final long pollNanos;
  private final Supplier<Optional<RelayIdentity>> identity;
  private final RaiseTurns turns;
  private volatile boolean wanted = true;
  private volatile boolean lookWanted = true;
  private volatile boolean rowsChanged; // by somebody else
  private long lookedAt;
  private long untilNextLook;
  private volatile boolean countWanted;
  private long countedAt;
  private long untilNextCount;
  private boolean raiseWanted;
  private int takenSinceRaise;
  private boolean lookWasSlow; // it may have walked over rows that are gone
  private boolean starved; // the window was full when rows may have been due

  DueReader(RelayStore store, DueIntake memory, DeferredRouting routing, Reader.Setting setting) {
    this.store = store;
    this.memory = memory;
    this.routing = routing;
    this.ticker = setting.ticker();
    this.pollNanos = setting.options().pollInterval().toNanos();
    this.identity = setting.identity();
    this.turns = new RaiseTurns(ticker);
  }

  /** Before the first read of a partition it must be known who has deferred rows there. */
  boolean load() {
    List<HeldPartition> toLoad = memory.partitionsToLoad();
    if (toLoad.isEmpty()) {
      return false;
    }
    look(toLoad);
    untilNextLook = 0;
    return true;
  }

  private Map<Integer, Set<String>> look(Collection<HeldPartition> partitions) {
    long before = ticker.nanos();
    long begun = memory.lookBegins();
    Map<Integer, Set<String>> handlers =
        store.deferredHandlers(partitions.stream().map(HeldPartition::partition).toList());
    memory.deferredHandlers(partitions, handlers, begun);
    lookWasSlow |= ticker.nanos() - before >= SLOW_NANOS;
    return handlers;
  }

  /** Looks at once if that was asked for; returns how many lanes it has found blocked. */
  int lookIfRequested() {
    return lookWanted ? lookIfDue() : 0;
  }

  /** Whether somebody else has changed deferred rows since the last look began. */
  boolean rowsWereChanged() {
    return rowsChanged;
  }

  /**
   * Reads, if something may be due.
   *
   * @return how many rows were taken
   */
  int runOnce() {
    int found = lookIfDue();
    countIfWanted();
    return found + readIfWanted();
  }

  private int readIfWanted() {
    if (!wanted && !memory.pollDue()) {
      return 0;
    }
    wanted = false; // first: what is asked for meanwhile is asked of the next pass
    boolean done = false;
    try {
      DueIntake.Plan plan = memory.planDue().orElse(null);
      if (plan == null) {
        starved = memory.isFull();
        done = !starved; // if it is, it was too early to look
        return 0;
      }
      starved = false;
      DueResult result = store.readDue(plan.request());
      int taken = memory.acceptDue(plan, result, routing.route(result.rows()));
      takenSinceRaise += taken;
      raiseWanted |= takenSinceRaise >= ROWS_PER_RAISE;
      done = taken == 0; // there may be more
      return taken;
    } finally {
      if (!done) {
        wanted = true;
      }
    }
  }

  private int lookIfDue() {
    long now = ticker.nanos();
    // A little early rather than in a pass of its own: it has the same interval as reads.
    if (!lookWanted && now - lookedAt < untilNextLook - untilNextLook / 8) {
      return 0;
    }
    lookWanted = false; // first: what is asked for meanwhile is asked of the next look
    rowsChanged = false;
    boolean done = false;
    try {
      int found = lookEverywhere();
      done = true;
      countWanted = true;
      lookedAt = ticker.nanos();
      // Rows that are dead and not vacuumed make it long; it must not become all that is done.
      untilNextLook = Math.max(pollNanos, 10 * (lookedAt - now));
      wanted = true;
      raiseWanted = true;
      return found;
    } finally {
      if (!done) {
        lookWanted = true;
      }
    }
  }

  private int lookEverywhere() {
    Map<Integer, HeldPartition> partitions = memory.readablePartitions();
    Set<String> names = new HashSet<>();
    look(partitions.values()).values().forEach(names::addAll);
    return names.isEmpty()
        ? 0
        : memory.blockedByHand(
            store.lanesBlockedByHand(partitions.keySet(), names, MAX_BLOCKED_BY_HAND));
  }

  /**
   * Reads need not walk over rows that are gone. This may take long, so it comes after what has
   * been read has begun to be delivered.
   */
  void raiseFloorsIfWanted() {
    RelayIdentity me = identity.get().orElse(null);
    if (!raiseWanted || me == null || !turns.mayBegin()) {
      return;
    }
    raiseWanted = false;
    List<Integer> all = memory.deferredFloorsToRaise(lookWasSlow);
    List<Integer> partitions = turns.next(all);
    boolean raised = false;
    try {
      raised = partitions.isEmpty() || raiseFloors(me, partitions);
    } finally {
      turns.ended(raised);
      boolean done = raised && partitions.size() == all.size();
      lookWasSlow &= !done;
      takenSinceRaise = done ? 0 : ROWS_PER_RAISE;
    }
  }

  /** Whether there was time enough. If not, fewer are tried later, and reads go on. */
  private boolean raiseFloors(RelayIdentity me, List<Integer> partitions) {
    try {
      memory.deferredFloorsRaised(store.raiseDeferredFloors(me, partitions));
      return true;
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      return false;
    }
  }

  /** Counts the lanes with deferred rows, for those who watch: for a small part of the time. */
  private void countIfWanted() {
    long now = ticker.nanos();
    if (!countWanted || now - countedAt < untilNextCount) {
      return;
    }
    countWanted = false;
    Map<Integer, Set<String>> handlers = memory.deferredHandlers();
    Set<String> names = new HashSet<>();
    handlers.values().forEach(names::addAll);
    names.remove(DeferredMessage.UNDECIDED); // stands in no lane, and may have any number of rows
    memory.blockedLanes(
        names.isEmpty() ? Map.of() : store.countLanes(handlers.keySet(), names, MAX_ROWS_COUNTED));
    countedAt = ticker.nanos();
    untilNextCount = COUNT_REST * (countedAt - now);
  }

  /** Whether ready rows have left no room, so that deferred ones should come first. */
  boolean isStarved() {
    return starved;
  }

  /** Whether a read is to follow at once. */
  boolean isWanted() {
    return wanted || lookWanted;
  }

  /** How long until handlers with deferred rows are looked up again. */
  long nanosUntilLook() {
    return Math.max(0, lookedAt + untilNextLook - ticker.nanos());
  }

  /** Deferred rows have changed. */
  void request() {
    wanted = true;
    countWanted = true;
  }

  void requestLook() {
    lookWanted = true;
  }

  /** Somebody else has changed deferred rows. */
  void rowsChanged() {
    rowsChanged = true;
    lookWanted = true;
  }
}
