/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.RelayOptions;
import io.posthorn.RelayStatus;
import io.posthorn.internal.deliver.Workers;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.read.Reader;
import io.posthorn.internal.run.Counters;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.settle.Settler;
import io.posthorn.internal.wake.Waker;
import io.posthorn.spi.Duty;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Puts the duties of one relay together, starts and stops them. */
public final class Engine {
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);
  private static final Duration DUTY_STOP = Duration.ofSeconds(5);

  private final Setting setting;
  private final Ticker ticker;
  private final Listeners listeners;
  private final RelayMemory memory;
  private final StatusReporter reporter;
  private final LeaseKeeper keeper;
  private final Workers workers;
  private final Reader reader;
  private final List<Duty> others = new ArrayList<>(); // beside lease, settle and read
  private final Settler settler;
  private final Duty watchdog;
  private final List<DutyRunner.RunningDuty> running = new ArrayList<>();
  private final List<WatchedDuty> watched = new CopyOnWriteArrayList<>();
  private volatile boolean leaseGivenUp; // then nobody is there to hand the partitions over
  private volatile DutyRunner.@Nullable RunningDuty leasing;
  private volatile DutyRunner.@Nullable RunningDuty reading;
  private volatile DutyRunner.@Nullable RunningDuty settling;
  private volatile DutyRunner.@Nullable RunningDuty watching;

  /**
   * What an engine needs beside what was configured.
   *
   * @param failed called when the relay cannot go on with what it has in memory
   * @param published counts what this process publishes
   * @param waker null if the store has no signals
   */
  record Setting(
      String name,
      RelayStore store,
      Handlers handlers,
      Executor executor,
      DutyRunner runner,
      Runnable failed,
      FailureLog failures,
      LongAdder published,
      @Nullable Waker waker) {}

  Engine(OutboxProcess.Parts parts, Setting setting) {
    this.setting = setting;
    this.ticker = parts.ticker();
    String name = setting.name();
    Handlers handlers = setting.handlers();
    FailureLog failures = setting.failures();
    RelayOptions options = setting.waker() == null ? parts.relay().withoutSignals() : parts.relay();
    Unreadable unreadable =
        new Unreadable(parts.unreadable(), options.unknownTypeGrace(), parts.clock(), failures);
    RelayStore store = setting.store();
    Counters counters = new Counters(setting.published(), handlers.typesByName().keySet());
    this.listeners = Listeners.ofRelay(name, parts.listeners(), counters, ticker, failures);
    this.memory = new RelayMemory(options, ticker, handlers.specs(), new Nudges());
    this.reporter =
        new StatusReporter(
            name,
            ProgramVersion.of(options, parts.clock()),
            this::leaseValid,
            memory,
            counters,
            ticker,
            failures);
    this.keeper =
        new LeaseKeeper(
            name,
            store,
            memory,
            listeners,
            new LeaseKeeper.Setting(
                options,
                ticker,
                parts.clock(),
                handlers.typesByName(),
                reporter::report,
                this::isTold,
                this::tellOthers,
                this::startWorkers,
                () -> nudge(reading),
                this::goOn));
    this.workers =
        new Workers(
            memory,
            keeper,
            new Workers.Setting(
                name,
                setting.executor(),
                parts.clock(),
                ticker,
                options,
                parts.transactions(),
                parts.store(),
                parts.codec(),
                parts.upcasters(),
                parts.interceptors(),
                unreadable,
                listeners,
                failures));
    this.reader =
        new Reader(
            store,
            memory,
            keeper,
            new Reader.Setting(
                name,
                ticker,
                options,
                handlers,
                unreadable,
                keeper::fleet,
                keeper::identity,
                workers::start));
    this.settler =
        new Settler(
            store,
            memory,
            keeper,
            listeners,
            new Settler.Setting(options.settleBatch(), ticker, failures, this::settled));
    this.watchdog =
        workers.watchdog(
            handlers.specs(),
            () -> watched.forEach(duty -> duty.reportIfHanging(options.leaseDuration(), failures)));
    Waker waker = setting.waker();
    if (waker != null) {
      others.add(
          waker.listener(
              name,
              ticker,
              keeper::leaseValid,
              this::messagesIn,
              this::deferredChanged,
              this::leasesChanged));
    }
    others.add(
        new Purger(
            Purger.ofFleet(parts), this::purgesForAll, OutboxProcess.PURGE_INTERVAL, listeners));
  }

  private boolean isTold() {
    Waker waker = setting.waker();
    return waker != null && waker.hears();
  }

  private void startWorkers() {
    workers.start();
  }

  /** Starts the duties, the lease first. */
  public void start() {
    leasing = run(keeper);
    settling = run(settler);
    reading = run(reader);
    watching = run(watchdog);
    others.forEach(this::run);
  }

  private void databaseBack() {
    memory.dispatcher().databaseBack();
    goOn();
  }

  /** One relay at a time: the one with the first partition, while it surely has it. */
  private boolean purgesForAll() {
    return keeper.leaseValid() && memory.partitions().kept().contains(0);
  }

  private DutyRunner.RunningDuty run(Duty duty) {
    WatchedDuty watch = new WatchedDuty(duty, this::databaseBack, ticker);
    watched.add(watch);
    DutyRunner.RunningDuty started = setting.runner().start(watch);
    running.add(started);
    return started;
  }

  /**
   * Stops: starts nothing more, lets deliveries under way end, settles them, and hands the
   * partitions over. Deliveries that have not ended in time are interrupted; the partitions of
   * those that still do not end stay with this relay until its lease is over, so that nobody
   * delivers beside them.
   */
  Stopped stop(Duration timeout) {
    int held = memory.partitions().epochs().size();
    int interrupted = 0;
    memory.pause(true);
    keeper.beginStop();
    nudge(leasing);
    nudge(settling);
    boolean left = !leaseGivenUp && setting.runner().await(keeper::hasLeft, timeout);
    if (!left) {
      interrupted = workers.interrupt();
      left = !leaseGivenUp && setting.runner().await(keeper::hasLeft, AFTER_INTERRUPT);
    }
    for (int i = running.size() - 1; i >= 0; i--) {
      running.get(i).stop(DUTY_STOP);
    }
    return new Stopped(left, interrupted, held - memory.partitions().epochs().size());
  }

  /**
   * What came of a stop.
   *
   * @param handedOver whether all partitions were returned
   * @param interrupted how many deliveries were interrupted
   * @param returned how many partitions others can take at once
   */
  record Stopped(boolean handedOver, int interrupted, int returned) {
    static final Stopped NOTHING = new Stopped(true, 0, 0);
  }

  /**
   * Lets the lease run out, since this relay cannot serve its partitions any more: others take
   * over.
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
    if (memory.partitions().keepsOneOf(partitions)) {
      reader.messagesIn(partitions);
      nudge(reading);
    }
  }

  /** A person has changed deferred rows of these partitions. */
  public void deferredChanged(BitSet partitions) {
    if (memory.partitions().keepsOneOf(partitions)) {
      reader.deferredRowsChanged();
      nudge(reading);
    }
  }

  /** Whether some of these partitions are not this relay's. */
  public boolean concernsOthers(BitSet partitions) {
    return !memory.partitions().keepsAllOf(partitions);
  }

  /** Partitions of this relay, as long as it is not behind with its work. */
  public List<Integer> nearbyPartitions() {
    return keeper.leaseValid() && !reader.waitsForRoom() ? memory.partitions().kept() : List.of();
  }

  /** Asks for a look at the fleet: somebody came or went, or something was paused or resumed. */
  public void leasesChanged() {
    keeper.requestSurvey();
    nudge(leasing);
  }

  private void tellOthers() {
    Waker waker = setting.waker();
    if (waker != null) {
      waker.leasesChanged();
    }
  }

  private void settled() {
    if (reader.hasRoomAgain()) {
      nudge(reading);
    }
    if (!memory.partitions().drained().isEmpty()) {
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
      if (workers.noteHeldBack()) {
        nudge(watching);
      }
    }

    @Override
    public void memoryBroken() {
      setting.failed().run();
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
    long deadline = ticker.nanos() + timeout.toNanos();
    long surveys = keeper.calmSurveys();
    boolean settledIn =
        setting
            .runner()
            .await(() -> keeper.calmSurveys() > surveys || asked(this::leasesChanged), timeout);
    long looks = reader.emptyLooks();
    return settledIn
        && setting
            .runner()
            .await(
                () -> (memory.isEmpty() && reader.emptyLooks() > looks) || asked(this::lookNow),
                Duration.ofNanos(Math.max(0, deadline - ticker.nanos())));
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
    return reporter.status();
  }

  private boolean leaseValid() {
    return keeper.leaseValid();
  }
}
