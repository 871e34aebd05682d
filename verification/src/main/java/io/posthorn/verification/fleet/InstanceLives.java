/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.util.Objects.requireNonNull;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One instance of the fleet through all its lives, and the proxy that they are behind. */
final class InstanceLives implements AutoCloseable {
  private static final Duration JOIN_PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(100);

  private final InstanceLauncher launcher;
  private final ChaosDatabase database;
  private final FaultLog faults;
  private final AttendedSleep sleep;
  private Member member;
  private FaultProxy proxy;
  private int count;
  private boolean resting;
  private @Nullable Instance current;

  private InstanceLives(
      Member member,
      FaultProxy proxy,
      InstanceLauncher launcher,
      ChaosDatabase database,
      FaultLog faults,
      AttendedSleep sleep) {
    this.member = member;
    this.proxy = proxy;
    this.launcher = launcher;
    this.database = database;
    this.faults = faults;
    this.sleep = sleep;
  }

  /** Starts the first life, which does not publish before it is told to. */
  static InstanceLives begin(
      Member member,
      InstanceLauncher launcher,
      ChaosDatabase database,
      FaultLog faults,
      AttendedSleep sleep)
      throws IOException {
    InstanceLives lives =
        new InstanceLives(member, launcher.openProxy(), launcher, database, faults, sleep);
    lives.begin("");
    return lives;
  }

  Member member() {
    return member;
  }

  FaultProxy proxy() {
    return proxy;
  }

  /** The JVM of its present life, or of the last one if it is dead. */
  Instance current() {
    return requireNonNull(current, "current");
  }

  String life() {
    return current().life();
  }

  boolean alive() {
    return current().alive();
  }

  void tell(String line) throws IOException {
    current().send(line);
  }

  /** Starts it, unless its end was left out. */
  void start() throws IOException {
    if (!alive()) {
      startCrashing("");
    }
  }

  /** Starts a life that ends itself at this place; empty: it does not. */
  void startCrashing(String crash) throws IOException {
    begin(crash);
    tell(InstanceMain.WRITE);
  }

  private void begin(String crash) throws IOException {
    current = launcher.launch(resting ? member.resting() : member, count + 1, crash, proxy);
    count++;
  }

  void awaitJoined() throws SQLException, InterruptedException {
    long end = System.nanoTime() + JOIN_PATIENCE.toNanos();
    while (!database.hasJoined(life())) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(life() + " has not joined within " + JOIN_PATIENCE);
      }
      sleep.sleep(POLL);
    }
  }

  /** Stops it in the orderly way. */
  void end() throws IOException, InterruptedException {
    long from = FaultLog.now();
    boolean clean = current().stop();
    faults.note(clean ? Fault.Kind.STOP : Fault.Kind.KILL, life(), from);
  }

  /** Stops it when the run is over: only a failure to do so counts as a fault. */
  void endAtLast() throws IOException, InterruptedException {
    long from = FaultLog.now();
    if (!current().stop()) {
      faults.note(Fault.Kind.KILL, life(), from);
    }
  }

  /** Starts it again if it has ended by itself, not before the given time. */
  void revive(long since) throws IOException {
    if (!alive()) {
      faults.note(Fault.Kind.KILL, life(), since);
      start();
    }
  }

  /** Lives that are started from now on have these handlers. */
  void changeHandlers(Set<String> handlers) {
    member = member.with(handlers);
  }

  /** Gives it another way to the database, and returns the one it had. */
  FaultProxy replaceProxy() throws IOException {
    FaultProxy old = proxy;
    proxy = launcher.openProxy();
    return old;
  }

  /** Lives that are started from now on publish nothing. */
  void rest() {
    resting = true;
  }

  /** Lets it publish again after a rest. */
  void resume() throws IOException, InterruptedException {
    resting = false;
    if (current().mayWrite()) {
      tell(InstanceMain.WRITE);
    } else if (member.perSecond() > 0) { // this life began during the rest
      end();
      start();
    }
  }

  @Override
  public void close() {
    try {
      current().kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    proxy.close();
  }
}
