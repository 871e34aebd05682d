/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus;
import io.posthorn.internal.deliver.DeadLetterLog;
import io.posthorn.internal.deliver.DeliverySetting;
import io.posthorn.internal.deliver.Watchdog;
import io.posthorn.internal.deliver.Workers;
import io.posthorn.internal.lease.LeaseClock;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.policy.Extensions;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.RetryPolicies;
import io.posthorn.internal.policy.UnknownTypes;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.read.Reader;
import io.posthorn.internal.run.Counters;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.settle.Settler;
import io.posthorn.internal.wake.WakeListener;
import io.posthorn.internal.wake.Waker;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.WakeChannel;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Puts the duties of one relay together, starts and stops them. */
public final class Engine {
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);
  private static final Duration DUTY_STOP = Duration.ofSeconds(5);

  private final Parts parts;
  private final Counters counters = new Counters();
  private final LeaseClock lease;
  private final RelayMemory memory;
  private final Workers workers;
  private final Watchdog watchdog;
  private final LeaseKeeper keeper;
  private final Reader reader;
  private final Settler settler;
  private final Purger purger;
  private final @Nullable WakeListener wakeListener;
  private final List<DutyRunner.RunningDuty> running = new ArrayList<>();
  private volatile boolean leaseGivenUp; // then nobody is there to hand the partitions over
  private volatile DutyRunner.@Nullable RunningDuty leasing;
  private volatile DutyRunner.@Nullable RunningDuty reading;
  private volatile DutyRunner.@Nullable RunningDuty settling;
  private volatile DutyRunner.@Nullable RunningDuty watching;

  /**
   * What an engine is made of.
   *
   * @param codec null if there is none
   * @param wake null if the store has no signals
   * @param waker null if the store has no signals
   * @param purges what one relay of the fleet deletes by age
   */
  record Parts(
      String name,
      RelayOptions options,
      MessageStore messages,
      RelayStore store,
      Transactions transactions,
      Handlers handlers,
      List<HandlerSpec<?>> specs,
      Executor executor,
      @Nullable PayloadCodec codec,
      Extensions extensions,
      List<RelayListener> listeners,
      Clock clock,
      Ticker ticker,
      DutyRunner runner,
      FailureLog failures,
      @Nullable WakeChannel wake,
      @Nullable Waker waker,
      List<Purger.Purge> purges) {}

  Engine(Parts parts) {
    this.parts = parts;
    RelayOptions options = parts.options();
    Ticker ticker = parts.ticker();
    List<RelayListener> all = new ArrayList<>(parts.listeners());
    all.add(counters);
    all.add(new DeadLetterLog(parts.name(), ticker));
    Listeners listeners = new Listeners(all, parts.failures());
    Unreadable unreadable =
        new Unreadable(parts.extensions().unreadable(), parts.clock(), parts.failures());
    this.lease = new LeaseClock(ticker, parts.clock(), options.leaseDuration());
    this.memory = new RelayMemory(options, ticker, parts.handlers().specs(), new Nudges());
    this.workers =
        new Workers(
            memory,
            new DeliverySetting(
                parts.name(),
                parts.executor(),
                lease,
                parts.clock(),
                ticker,
                options,
                parts.transactions(),
                parts.messages(),
                new RetryPolicies(options, parts.failures()),
                parts.codec(),
                parts.extensions(),
                unreadable,
                listeners,
                this::expelled,
                parts.failures()));
    this.watchdog = new Watchdog(parts.name(), workers, options, parts.specs());
    this.keeper =
        new LeaseKeeper(
            parts.name(),
            parts.store(),
            memory,
            lease,
            listeners,
            new LeaseKeeper.Setting(
                options,
                ticker,
                parts.handlers().typesByName(),
                this::isTold,
                this::tellOthers,
                workers::start,
                () -> nudge(reading),
                this::goOn));
    this.reader =
        new Reader(
            parts.store(),
            memory,
            lease,
            new Reader.Setting(
                parts.name(),
                ticker,
                options,
                parts.handlers(),
                new UnknownTypes(unreadable, options.unknownTypeGrace()),
                keeper::fleet,
                keeper::identity,
                workers::start));
    this.settler =
        new Settler(
            parts.store(),
            memory,
            keeper,
            listeners,
            new Settler.Setting(options.settleBatch(), ticker, parts.failures(), this::settled));
    this.purger =
        new Purger(parts.purges(), this::purgesForAll, OutboxProcess.PURGE_INTERVAL, listeners);
    WakeChannel wake = parts.wake();
    this.wakeListener =
        wake == null
            ? null
            : new WakeListener(
                parts.name(),
                wake,
                ticker,
                lease::valid,
                this::messagesIn,
                this::deferredChanged,
                this::leasesChanged);
  }

  private boolean isTold() {
    return wakeListener != null && wakeListener.hears();
  }

  /** Starts the duties, the lease first. */
  public void start() {
    leasing = run(keeper);
    settling = run(settler);
    reading = run(reader);
    watching = run(watchdog);
    if (wakeListener != null) {
      run(wakeListener);
    }
    if (!parts.purges().isEmpty()) {
      run(purger);
    }
  }

  /** One relay at a time: the one with the first partition, while it surely has it. */
  private boolean purgesForAll() {
    return lease.valid() && memory.keptPartitions().contains(0);
  }

  private DutyRunner.RunningDuty run(Duty duty) {
    DutyRunner.RunningDuty started = parts.runner().start(duty);
    running.add(started);
    return started;
  }

  /**
   * Stops: starts nothing more, lets deliveries under way end, settles them, and hands the
   * partitions over. Deliveries that have not ended in time are interrupted; the partitions of
   * those that still do not end stay with this relay until its lease is over, so that nobody
   * delivers beside them.
   *
   * @return whether everything was handed over
   */
  public boolean stop(Duration timeout) {
    memory.pause(true);
    keeper.beginStop();
    nudge(leasing);
    nudge(settling);
    boolean left = !leaseGivenUp && parts.runner().await(keeper::hasLeft, timeout);
    if (!left) {
      workers.interrupt();
      left = !leaseGivenUp && parts.runner().await(keeper::hasLeft, AFTER_INTERRUPT);
    }
    for (int i = running.size() - 1; i >= 0; i--) {
      running.get(i).stop(DUTY_STOP);
    }
    parts.store().close();
    return left;
  }

  /**
   * Lets the lease run out, since a duty has ended that nobody had stopped: other relays take over.
   */
  void giveUpLease() {
    DutyRunner.RunningDuty duty = leasing;
    leaseGivenUp = true;
    if (duty != null) {
      duty.stop(Duration.ZERO);
    }
  }

  /** Messages were committed to these partitions by this process. */
  public void messagesIn(BitSet partitions) {
    if (memory.keepsOneOf(partitions)) {
      reader.messagesIn(partitions);
      nudge(reading);
    }
  }

  /** A person has changed deferred rows of these partitions. */
  public void deferredChanged(BitSet partitions) {
    if (memory.keepsOneOf(partitions)) {
      reader.requestDueLook();
      nudge(reading);
    }
  }

  /** Whether some of these partitions are not this relay's. */
  public boolean concernsOthers(BitSet partitions) {
    return !memory.keepsAllOf(partitions);
  }

  /** Partitions of this relay, as long as it is not behind with its work. */
  public List<Integer> nearbyPartitions() {
    return lease.valid() && !reader.waitsForRoom() ? memory.keptPartitions() : List.of();
  }

  /** Asks for a look at the fleet: somebody came or went, or something was paused or resumed. */
  public void leasesChanged() {
    keeper.requestSurvey();
    nudge(leasing);
  }

  private void expelled(RelayIdentity life) {
    keeper.expelled(life);
  }

  private void tellOthers() {
    Waker waker = parts.waker();
    if (waker != null) {
      waker.leasesChanged();
    }
  }

  private void settled() {
    if (reader.hasRoomAgain()) {
      nudge(reading);
    }
    if (!memory.drainedPartitions().isEmpty()) {
      nudge(leasing);
    }
  }

  private static void nudge(DutyRunner.@Nullable RunningDuty duty) {
    if (duty != null) {
      duty.nudge();
    }
  }

  private final class Nudges implements RelayMemory.Signals {
    @Override
    public void outcomeWaits() {
      nudge(settling);
    }

    @Override
    public void workWaits() {
      nudge(reading);
    }

    @Override
    public void deferredRowsChanged() {
      reader.requestDue();
      nudge(reading);
    }

    @Override
    public void workersHeldBack() {
      if (watchdog.workersHeldBack()) {
        nudge(watching);
      }
    }
  }

  // --- people

  public void pause(boolean pause) {
    memory.pause(pause);
    goOn();
  }

  private void goOn() {
    workers.start();
    nudge(reading);
  }

  /**
   * Waits until the relay has its share of the partitions, a look at all of them finds nothing new,
   * and nothing is in memory.
   */
  public boolean awaitIdle(Duration timeout) {
    long deadline = parts.ticker().nanos() + timeout.toNanos();
    long surveys = keeper.calmSurveys();
    boolean settledIn =
        parts
            .runner()
            .await(() -> keeper.calmSurveys() > surveys || asked(this::leasesChanged), timeout);
    long looks = reader.emptyLooks();
    return settledIn
        && parts
            .runner()
            .await(
                () ->
                    (memory.inMemory() == 0 && reader.emptyLooks() > looks) || asked(this::lookNow),
                Duration.ofNanos(Math.max(0, deadline - parts.ticker().nanos())));
  }

  private void lookNow() {
    reader.requestLook();
    nudge(reading);
  }

  /** Asks once more; what was asked for is not there yet. */
  private static boolean asked(Runnable question) {
    question.run();
    return false;
  }

  public RelayStatus status() {
    return new RelayStatus(
        parts.name(),
        lease.valid(),
        memory.epochs(),
        memory.inMemory(),
        memory.bytesInMemory(),
        memory.lanesInMemory(),
        memory.blockedLanes(),
        memory.handlers(),
        counters.counts());
  }
}
