/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.RelayOptions;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.PartitionTable;
import io.posthorn.internal.memory.ReadyIntake;
import io.posthorn.internal.memory.ReadyIntake.Doubt;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Reads rows of held partitions into the memory, and has workers started for them. Each read begins
 * at a floor below which no row can appear any more, and passes over what is in memory.
 */
public final class Reader implements Duty {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final BitSet NONE = new BitSet();
  private static final Duration MAX_REST = Duration.ofMillis(6);

  /** So that somebody who changes rows all the time does not keep others from being delivered. */
  private static final int MAX_LEFT_OUT = 3;

  private final RelayStore store;
  private final RelayMemory memory;
  private final ReadyIntake intake;
  private final ReadyRouting routing;
  private final DueReader due;
  private final Sweeper sweeper;
  private final UnclaimedRows unclaimed;
  private final LeaseKeeper lease;
  private final Setting setting;
  private final Ticker ticker;
  private final RelayOptions options;
  private final AtomicReference<BitSet> told =
      new AtomicReference<>(NONE); // never changed in place
  private final AtomicLong emptyLooks = new AtomicLong();
  private long lookedAt; // when all partitions were read
  private Duration idleWait;
  private boolean floorsDoubtful;
  private boolean sequenceDoubtful;
  private int leftOut; // reads in a row
  private volatile boolean waitsForRoom;
  private volatile boolean lookWanted = true;

  /**
   * What a reader goes by.
   *
   * @param fleet what the last survey says of other instances
   * @param identity the present life of the relay
   * @param startWorkers starts workers for the lanes that wait; returns how many
   */
  public record Setting(
      String relay,
      Ticker ticker,
      RelayOptions options,
      Handlers handlers,
      Unreadable unreadable,
      Supplier<Fleet> fleet,
      Supplier<Optional<RelayIdentity>> identity,
      IntSupplier startWorkers) {}

  public Reader(RelayStore store, RelayMemory memory, LeaseKeeper lease, Setting setting) {
    this.store = store;
    this.memory = memory;
    this.intake = memory.readyIntake();
    this.lease = lease;
    this.setting = setting;
    this.ticker = setting.ticker();
    this.options = setting.options();
    this.routing = new ReadyRouting(setting.handlers(), setting.unreadable(), setting.fleet());
    this.unclaimed = new UnclaimedRows(store, memory.dueIntake(), setting);
    this.due =
        new DueReader(
            store,
            memory.dueIntake(),
            new DeferredRouting(
                setting.handlers(), setting.unreadable(), setting.fleet(), unclaimed),
            setting);
    this.sweeper = new Sweeper(store, memory.partitions(), ticker, options.sweepInterval());
    this.idleWait = options.busyPollInterval();
  }

  @Override
  public String name() {
    return "read";
  }

  @Override
  public StepResult runOnce() {
    if (!lease.leaseValid()) {
      return new StepResult(0, options.busyPollInterval());
    }
    try {
      return readAll();
    } catch (StoreException e) {
      // A server that has crashed may draw seqs, and number transactions, a second time: those that
      // nobody had committed with are forgotten. What is stored it has not forgotten.
      floorsDoubtful |= e.kind() == StoreException.Kind.UNAVAILABLE;
      throw e;
    }
  }

  private StepResult readAll() {
    long begun = ticker.nanos();
    resetDoubtfulFloors();
    raiseDoubtfulSequence();
    int read = due.lookIfRequested();
    if (due.load()) {
      lookWanted = true;
      sweeper.partitionsCame();
      unclaimed.requestLook();
    }
    int moved = intake.makeRoom();
    boolean whole = lookWanted;
    read += due.isStarved() ? due.runOnce() : 0;
    read += readReady();
    moved += setting.startWorkers().getAsInt(); // these messages have waited least
    read += due.runOnce() + decideUnclaimed() + sweeper.runOnce();
    moved += setting.startWorkers().getAsInt();
    due.raiseFloorsIfWanted();
    waitsForRoom = intake.isFull();
    boolean more =
        due.isWanted()
            || intake.moreWaiting()
            || sweeper.isUnfinished()
            || unclaimed.isUnfinished();
    if (whole && !lookWanted && read == 0 && !more) {
      emptyLooks.incrementAndGet();
    }
    if (read > 0) {
      idleWait = options.busyPollInterval();
    }
    if (!waitsForRoom && more) {
      return StepResult.again(read + moved);
    }
    // With a full window it is settles that nudge, and each moment of rest would be one of theirs.
    boolean rests = read > 0 && !waitsForRoom;
    return new StepResult(read + moved, nextWait(read), rests ? rest(begun) : Duration.ZERO);
  }

  private int decideUnclaimed() {
    int decided = unclaimed.runOnce();
    if (decided > 0) {
      due.request();
    }
    return decided;
  }

  /**
   * Twice as long as it has read: publishers nudge with every commit, and would pay with their
   * speed for a reader that is always there for one row more.
   */
  private Duration rest(long begun) {
    return Duration.ofNanos(Math.min(2 * (ticker.nanos() - begun), MAX_REST.toNanos()));
  }

  private Duration nextWait(int read) {
    Duration wait = idleWait;
    if (read == 0) {
      // Without signals, messages of other processes wait for the next look. This way they wait for
      // an eighth of the time since the last ones at the most.
      Duration longer = idleWait.plus(options.hasSignals() ? idleWait : idleWait.dividedBy(8));
      idleWait = longer.compareTo(options.pollInterval()) > 0 ? options.pollInterval() : longer;
    }
    long nanos = Math.min(due.nanosUntilLook(), sweeper.nanosUntilNext());
    return Duration.ofNanos(Math.min(nanos, memory.nextIn(wait).toNanos()));
  }

  private void resetDoubtfulFloors() {
    RelayIdentity me = setting.identity().get().orElse(null);
    if (floorsDoubtful && me != null) {
      memory.partitions().resetFloors(store.floors(me));
      floorsDoubtful = false;
      lookWanted = true;
    }
  }

  /** Or it would go on drawing seqs that other messages have. */
  private void raiseDoubtfulSequence() {
    RelayIdentity me = setting.identity().get().orElse(null);
    if (!sequenceDoubtful || me == null) {
      return;
    }
    try {
      store.raiseSequence(me, PartitionTable.SEQUENCE_RAISE);
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      LOGGER.log(
          Level.WARNING,
          "[{0}] the sequence of the outbox was not raised, so new messages have the numbers of others, and may be refused or come late. {1}",
          setting.relay(),
          e.getMessage());
    }
    sequenceDoubtful = false;
  }

  private int readReady() {
    long now = ticker.nanos();
    BitSet partitions = told.getAndSet(NONE);
    // Not told of any: the time for a look everywhere, as when signals do not come.
    boolean everywhere =
        lookWanted || partitions.isEmpty() || now - lookedAt >= options.pollInterval().toNanos();
    ReadyIntake.Plan plan =
        intake.plan(partition -> everywhere || partitions.get(partition)).orElse(null);
    if (plan == null) {
      messagesIn(partitions);
      return 0;
    }
    boolean done = false;
    try {
      ReadResult result = store.read(plan.request());
      if (due.rowsWereChanged() && leftOut++ < MAX_LEFT_OUT) {
        // A lane may have been blocked before some of these rows were published, and its first row
        // was not asked for. The next pass looks first, and reads them again.
        return 1;
      }
      leftOut = 0;
      ReadyIntake.Accepted accepted = intake.accept(plan, result, routing.route(result.rows()));
      if (accepted.doubt() != Doubt.NONE) {
        startOver(accepted.doubt());
        return 1;
      }
      done = true;
      lookedAt = everywhere ? now : lookedAt;
      lookWanted &= !everywhere;
      return accepted.added();
    } finally {
      if (!done) {
        messagesIn(partitions);
      }
    }
  }

  /** What is in memory may not exist any more, and new messages may have its seqs. */
  private void startOver(Doubt doubt) {
    boolean wentBack = doubt == Doubt.SEQUENCE_WENT_BACK;
    RelayIdentity me = setting.identity().get().orElse(null);
    // After a failover the stored floors are those of the new history; a sequence that was set
    // back manually has left them as they were.
    memory.startOver(wentBack || me == null ? Map.of() : store.floors(me));
    sequenceDoubtful |= wentBack;
    lease.requestSurvey();
    LOGGER.log(
        Level.WARNING,
        wentBack
            ? "[{0}] the sequence of the outbox has gone back: it was set back, or the database was restored or failed over without its last commits. It is raised above all that is stored; all partitions are handed back and read from their beginning"
            : "[{0}] the database has failed over or was restored, and may have lost its last commits. All partitions are handed back, and read anew",
        setting.relay());
  }

  /** Messages were committed to these partitions. */
  public void messagesIn(BitSet partitions) {
    told.accumulateAndGet(
        partitions,
        (some, more) -> {
          BitSet all = (BitSet) some.clone();
          all.or(more);
          return all;
        });
  }

  /** Whether the relay is behind with its work. */
  public boolean waitsForRoom() {
    return waitsForRoom;
  }

  /** Whether it is worth a nudge that outcomes were settled. */
  public boolean hasRoomAgain() {
    return waitsForRoom && intake.isRoomy();
  }

  /** Asks for a look at everything. */
  public void requestLook() {
    lookWanted = true;
    due.requestLook();
    sweeper.request();
  }

  /** Deferred rows have changed: others may be due. */
  public void requestDue() {
    due.request();
  }

  /** Somebody else has changed deferred rows. */
  public void deferredRowsChanged() {
    due.rowsChanged();
  }

  /** Looks at everything that found nothing, so far. */
  public long emptyLooks() {
    return emptyLooks.get();
  }
}
