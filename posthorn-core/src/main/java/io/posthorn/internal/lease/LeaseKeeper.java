/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.RelayOptions;
import io.posthorn.internal.memory.PartitionTable;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the relay's heartbeat and its fair share of the partitions. Ownership changes in two ways
 * only: the owner releases a partition that it has drained, or the owner's instance row, whose
 * stated end has passed, is deleted, and only then are its partitions taken.
 */
public final class LeaseKeeper implements Duty {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final Duration SOON = Duration.ofMillis(200);

  /**
   * How far a floor has to rise until a heartbeat stores it. Each time leaves a dead row, which
   * stays as long as an old snapshot does; the next owner of a partition walks over as many dead
   * messages at the most as floors stay behind.
   */
  private static final long FLOOR_RISE = 10_000;

  private final String relay;
  private final RelayStore store;
  private final RelayMemory memory;
  private final PartitionTable partitions;
  private final LeaseClock clock;
  private final SurveyTimer surveys;
  private final Listeners listeners;
  private final TakeoverWait wait;
  private final Setting setting;
  private final ReentrantLock identityLock = new ReentrantLock();
  private volatile @Nullable RelayIdentity identity; // written under identityLock
  private volatile Fleet fleet = Fleet.NONE;
  private final AtomicLong calmSurveys = new AtomicLong();
  private volatile boolean stopping;
  private volatile boolean left;
  private boolean retired; // lease thread only
  private @Nullable Long startAt; // lease thread only
  private Set<String> remembered = Set.of(); // lease thread only; handlers that are gone
  private int surveyed; // lease thread only; partitions in the last survey

  /**
   * What the keeper goes by.
   *
   * @param handlers the types of each own handler, by name
   * @param report what the relay is doing, for operators
   * @param told whether others' changes are told by signals
   * @param tellOthers sends a signal to the other relays that ownership has changed
   * @param whenRenewed called after each heartbeat that was stored
   * @param wakeReader called when partitions have come, or the fleet has other handlers
   * @param whenResumed called when something that was paused goes on
   */
  public record Setting(
      RelayOptions options,
      Ticker ticker,
      Clock clock,
      Map<String, Set<String>> handlers,
      Supplier<String> report,
      BooleanSupplier told,
      Runnable tellOthers,
      Runnable whenRenewed,
      Runnable wakeReader,
      Runnable whenResumed) {}

  public LeaseKeeper(
      String relay, RelayStore store, RelayMemory memory, Listeners listeners, Setting setting) {
    this.relay = relay;
    this.store = store;
    this.memory = memory;
    this.partitions = memory.partitions();
    this.clock =
        new LeaseClock(setting.ticker(), setting.clock(), setting.options().leaseDuration());
    this.surveys = new SurveyTimer(setting.ticker(), setting.options().heartbeatInterval());
    this.listeners = listeners;
    this.wait = new TakeoverWait(relay, setting.ticker());
    this.setting = setting;
  }

  @Override
  public String name() {
    return "lease";
  }

  public String relay() {
    return relay;
  }

  @Override
  public StepResult runOnce() {
    if (left) {
      return new StepResult(0, SurveyTimer.FIRST_INTERVAL);
    }
    RelayIdentity me = identity;
    if (me == null && stopping) {
      left = true;
      return StepResult.again(1);
    }
    Duration wait = startsIn();
    if (!wait.isZero()) {
      return new StepResult(0, wait);
    }
    if (me == null) {
      me = join();
    } else if (heartbeatIn().isZero() && !heartbeat(me)) {
      return StepResult.again(1);
    }
    int changes = releaseDrained(me);
    if (stopping) {
      return stopStep(me, changes);
    }
    if (surveys.isDue()) {
      changes += lookAtFleet(me);
    }
    return changes > 0
        ? StepResult.again(changes)
        : new StepResult(0, SurveyTimer.shorter(heartbeatIn(), surveys.nextIn()));
  }

  private int lookAtFleet(RelayIdentity me) {
    boolean asked = surveys.begin();
    boolean done = false;
    try {
      int moved = balance(me);
      surveys.ended(moved > 0, setting.told().getAsBoolean() && !asked);
      done = true;
      return moved;
    } finally {
      if (!done) {
        surveys.request(); // what asked for it may be told only once
      }
    }
  }

  private Duration heartbeatIn() {
    return clock.untilOlderThan(setting.options().heartbeatInterval());
  }

  private Duration startsIn() {
    if (startAt == null) {
      startAt = setting.ticker().nanos() + setting.options().startupDelay().toNanos();
    }
    return Duration.ofNanos(Math.max(0, startAt - setting.ticker().nanos()));
  }

  private RelayIdentity join() {
    LeaseClock.Mark mark = clock.mark();
    RelayIdentity me = store.join(relay, setting.handlers());
    identity = me;
    clock.renew(me, mark);
    surveys.request();
    setting.tellOthers().run();
    LOGGER.log(Level.INFO, "[{0}] joined as \"{1}\"", relay, me);
    return me;
  }

  private boolean heartbeat(RelayIdentity me) {
    String report = setting.report().get();
    LeaseClock.Mark mark = clock.mark();
    if (!store.heartbeat(me, report)) {
      expelled(me);
      return false;
    }
    clock.renew(me, mark);
    setting.whenRenewed().run();
    storeFloors(me, FLOOR_RISE);
    return true;
  }

  /** This life of the relay is over: nothing that it has in memory counts any more. Any thread. */
  public void expelled(RelayIdentity life) {
    identityLock.lock();
    try {
      if (!life.equals(identity)) {
        return;
      }
      clock.end();
      identity = null;
      memory.expelled();
    } finally {
      identityLock.unlock();
    }
    LOGGER.log(
        Level.WARNING,
        "[{0}] \"{1}\" was expelled: its lease of {2} ended without a heartbeat. Other relays deliver what it had in hand; it joins again",
        relay,
        life,
        setting.options().leaseDuration());
    listeners.tell(listener -> listener.expelled(life));
  }

  private int releaseDrained(RelayIdentity me) {
    List<Integer> drained = partitions.drained();
    if (drained.isEmpty()) {
      return 0;
    }
    storeFloors(me, 1);
    store.release(me, drained);
    memory.released(drained);
    drained.forEach(partition -> listeners.tell(listener -> listener.released(partition)));
    setting.tellOthers().run();
    surveys.request(); // they may be for this relay again
    return drained.size();
  }

  /** Whoever comes next begins where this relay has come to. */
  private void storeFloors(RelayIdentity me, long rise) {
    Map<Integer, Long> floors = partitions.floorsToStore(rise);
    if (!floors.isEmpty() && store.storeFloors(me, floors)) {
      partitions.floorsStored(floors);
    }
  }

  private int balance(RelayIdentity me) {
    FleetSurvey survey = store.survey();
    if (survey.isStale(me)) { // the database's clock has jumped, or this thread was held up
      if (!heartbeat(me)) {
        return 1;
      }
      survey = store.survey();
    }
    if (survey.anyStale()) {
      List<RelayIdentity> gone = store.expelStale(me);
      gone.forEach(
          expelled -> LOGGER.log(Level.WARNING, "[{0}] expelled \"{1}\"", relay, expelled));
      survey = store.survey();
    }
    // One that is still stale is inside a settle, or another relay is just expelling it.
    surveys.untilExpulsion(survey.anyStale() ? SOON : survey.untilStale().plusMillis(1));
    calmRested(me);
    sayIfPartitionsAreMissing(survey.partitions().size());
    surveyed = survey.partitions().size();
    Fleet fleet = fleet(survey);
    boolean changed = !fleet.hasHandlersOf(this.fleet);
    this.fleet = fleet;
    if (changed) {
      setting.wakeReader().run(); // types may have become known
    }
    if (memory.pauses(survey.pauses())) {
      setting.whenResumed().run();
    }
    List<Integer> kept = partitions.kept();
    int share = fleet.share(me, surveyed);
    if (kept.size() > share) {
      memory.drain(kept.subList(share, kept.size()));
      return releaseDrained(me);
    }
    int changes = take(me, survey, fleet, share - kept.size());
    wait.note(survey, me, kept.size() + changes, share);
    if (changes == 0 && kept.size() == share) {
      calmSurveys.incrementAndGet();
    }
    return changes;
  }

  private void sayIfPartitionsAreMissing(int now) {
    if (now < surveyed) {
      LOGGER.log(
          Level.WARNING,
          "[{0}] the outbox had {1} partitions, and has {2}: somebody has deleted their rows. Messages of the others are not delivered until those rows are inserted again",
          relay,
          surveyed,
          now);
    }
  }

  /** What the fleet knows now. Forgets what need not be remembered any longer. */
  private Fleet fleet(FleetSurvey survey) {
    Duration grace = setting.options().unknownTypeGrace();
    Fleet fleet = new Fleet(survey.instances(), survey.gone(), setting.handlers(), grace);
    if (!fleet.forgettable().isEmpty()) {
      store.forget(fleet.forgettable());
    }
    Set<String> now = fleet.remembered();
    now.stream()
        .filter(handler -> !remembered.contains(handler))
        .forEach(
            handler ->
                LOGGER.log(
                    Level.WARNING,
                    "[{0}] no live instance has handler \"{1}\" any more; messages are kept for it, and become dead letters if none has it for {2}. If it was removed on purpose, call admin.forgetHandler",
                    relay,
                    handler,
                    grace));
    remembered = now;
    return fleet;
  }

  private void calmRested(RelayIdentity me) {
    List<Integer> rested = partitions.rested();
    if (!rested.isEmpty()) {
      store.calm(me, rested);
      partitions.calmed(rested);
    }
  }

  private int take(RelayIdentity me, FleetSurvey survey, Fleet fleet, int wanted) {
    Takeover choice = Takeover.choose(survey, fleet, me, partitions.epochs().keySet(), wanted);
    List<PartitionOwner> taken = new ArrayList<>(choice.own());
    if (!choice.free().isEmpty()) {
      taken.addAll(store.take(me, choice.free()));
    }
    if (hold(me, taken)) {
      taken.forEach(partition -> tellRecovered(partition.partition(), choice.goneOwners()));
    }
    return taken.size();
  }

  private void tellRecovered(int partition, Map<Integer, RelayIdentity> goneOwners) {
    RelayIdentity from = goneOwners.get(partition);
    if (from != null) {
      listeners.tell(listener -> listener.recovered(partition, from));
    }
  }

  /**
   * @return false if this life of the relay is over
   */
  private boolean hold(RelayIdentity me, List<PartitionOwner> taken) {
    identityLock.lock();
    try {
      if (!me.equals(identity)) { // expelled in the meantime, by what a settle found out
        return false;
      }
      partitions.hold(me, taken);
    } finally {
      identityLock.unlock();
    }
    if (!taken.isEmpty()) {
      taken.forEach(partition -> listeners.tell(listener -> listener.taken(partition)));
      LOGGER.log(
          Level.INFO,
          "[{0}] took {1} partitions, holds {2} of {3}",
          relay,
          taken.size(),
          partitions.epochs().size(),
          surveyed);
      long alarming = taken.stream().filter(partition -> partition.crashes() > 1).count();
      if (alarming > 0) {
        LOGGER.log(
            Level.WARNING,
            "[{0}] the owners of {1} of them died at work more than once; their messages are watched until it is clear whether one of them was the cause",
            relay,
            alarming);
      }
      setting.wakeReader().run();
    }
    return true;
  }

  // --- stop

  /** From now on nothing is started; partitions are released as they come to rest. */
  public void beginStop() {
    stopping = true;
    memory.drain(partitions.kept());
  }

  private StepResult stopStep(RelayIdentity me, int changes) {
    memory.drain(partitions.kept());
    int more = changes + releaseDrained(me);
    if (!retired && !partitions.epochs().isEmpty()) {
      store.retire(me); // what is released must not wait for what is still being delivered
      retired = true;
      setting.tellOthers().run();
    }
    if (partitions.epochs().isEmpty()) {
      store.leave(me);
      clock.end();
      left = true;
      setting.tellOthers().run();
      return StepResult.again(more + 1);
    }
    return new StepResult(more, Duration.ofMillis(10));
  }

  /** Whether the relay has handed over all partitions and has left. */
  public boolean hasLeft() {
    return left;
  }

  // --- what others ask

  /** The present life of the relay, if it has joined. */
  public Optional<RelayIdentity> identity() {
    return Optional.ofNullable(identity);
  }

  /** What the last survey says of the instances. */
  public Fleet fleet() {
    return fleet;
  }

  /** Asks for a look at the fleet at the next pass. */
  public void requestSurvey() {
    surveys.request();
  }

  /** Surveys after which there was nothing to take or to give up, so far. */
  public long calmSurveys() {
    return calmSurveys.get();
  }

  /** Whether the relay has a lease now. */
  public boolean leaseValid() {
    return clock.valid();
  }

  /**
   * Whether a delivery for this life of the relay may start now. A lease of the next life does not
   * count: in between the relay was expelled.
   *
   * @param now of the ticker
   */
  public boolean leaseValidFor(RelayIdentity life, long now) {
    return clock.validFor(life, now);
  }

  /** Whether this life of the relay is known to be over. */
  public boolean lost(RelayIdentity life) {
    return !life.equals(identity);
  }
}
