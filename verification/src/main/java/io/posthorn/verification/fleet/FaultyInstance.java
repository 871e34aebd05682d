/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.instance.CrashPoint;
import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/** One instance of the fleet, and what can be done to it and to its way to the database. */
public final class FaultyInstance {
  private static final Duration CRASH_PATIENCE = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration ANSWERS_LOST = Duration.ofMillis(50);

  private final InstanceLives lives;
  private final FaultInjector faults;
  private final AttendedSleep sleep;

  FaultyInstance(InstanceLives lives, FaultInjector faults, AttendedSleep sleep) {
    this.lives = lives;
    this.faults = faults;
    this.sleep = sleep;
  }

  String name() {
    return lives.member().name();
  }

  /** How long its heartbeat is good for. */
  public Duration lease() {
    return lives.member().tuning().lease();
  }

  private void inflict(Fault.Kind kind, Duration time, FaultInjector.Harm harm) throws Exception {
    faults.inflict(kind, lives::life, time, harm);
  }

  /** Starts it, unless its end was left out. */
  public void start() throws IOException {
    lives.start();
  }

  /** Starts it, and waits until it takes part, as a deployment does. */
  public void startAndWait() throws IOException, SQLException, InterruptedException {
    lives.start();
    lives.awaitJoined();
  }

  /** Replaces it by a version that has all handlers. */
  public void upgrade() throws IOException, SQLException, InterruptedException {
    lives.end();
    lives.changeHandlers(Receiver.NAMES);
    startAndWait();
  }

  /** Stops it in the orderly way. */
  public void stop() throws IOException, InterruptedException {
    if (!faults.leavesOut(Fault.Kind.STOP, Duration.ZERO)) {
      lives.end();
    }
  }

  public void kill() throws Exception {
    inflict(Fault.Kind.KILL, Duration.ZERO, () -> lives.current().kill());
  }

  /** Starts a life that ends itself at this place, waits until it has, and starts another. */
  public void crashAt(CrashPoint.Step step, int passes) throws Exception {
    if (faults.leavesOut(Fault.Kind.KILL, Duration.ZERO)) {
      return;
    }
    lives.end();
    inflict(Fault.Kind.KILL, Duration.ZERO, () -> liveUntil(step.after(passes)));
    lives.start();
  }

  private void liveUntil(String crash) throws IOException, InterruptedException {
    lives.startCrashing(crash);
    long end = System.nanoTime() + CRASH_PATIENCE.toNanos();
    while (lives.alive() && System.nanoTime() < end) {
      sleep.sleep(POLL);
    }
    if (lives.alive()) {
      throw new IllegalStateException(name() + " never came to " + crash);
    }
  }

  /**
   * Its machine is gone, another takes its place, and the database still waits for the sessions of
   * the old one. What that had sent last may arrive when the time is over.
   */
  public void vanish(Duration time) throws Exception {
    if (faults.leavesOut(Fault.Kind.KILL, time)) {
      return;
    }
    lives.proxy().cut(Set.of(FaultProxy.Direction.values()));
    kill();
    FaultProxy old = lives.replaceProxy();
    lives.start();
    sleep.sleep(time);
    old.close();
  }

  public void freeze(Duration time) throws Exception {
    inflict(
        Fault.Kind.FREEZE,
        time,
        () -> {
          lives.current().freeze();
          sleep.sleep(time);
          lives.current().thaw();
        });
  }

  /** Its program holds all connections of its pool. */
  public void drainPool(Duration time) throws Exception {
    inflict(
        Fault.Kind.POOL,
        time,
        () -> {
          lives.tell(InstanceMain.DRAIN_POOL + time.toMillis());
          sleep.sleep(time);
        });
  }

  /** Its relay is paused by an operator, and goes on by itself. */
  public void pauseRelay(Duration time) throws IOException {
    lives.tell(InstanceMain.PAUSE_RELAY + time.toMillis());
  }

  /** Nothing gets through between it and the database in these directions. */
  public void cut(Set<FaultProxy.Direction> directions, Duration time) throws Exception {
    inflict(
        Fault.Kind.CUT,
        time,
        () -> {
          lives.proxy().cut(directions);
          sleep.sleep(time);
          lives.proxy().cut(Set.of());
        });
  }

  /**
   * Resets its connections to the database, shortly after the last answer that got through: what
   * was done in between, commits too, is not known to it.
   */
  public void reset() throws Exception {
    inflict(
        Fault.Kind.RESET,
        ANSWERS_LOST,
        () -> {
          lives.proxy().cut(Set.of(FaultProxy.Direction.TO_INSTANCE));
          sleep.sleep(ANSWERS_LOST);
          lives.proxy().reset();
          lives.proxy().cut(Set.of());
        });
  }

  /** Delays each packet between it and the database. */
  public void latency(Duration each, Duration time) throws Exception {
    inflict(
        Fault.Kind.LATENCY,
        time,
        () -> {
          lives.proxy().latency(each.toMillis());
          sleep.sleep(time);
          lives.proxy().latency(0);
        });
  }
}
