/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/** Does harm and notes it, unless faults of that kind are left out: then only their time passes. */
final class FaultInjector {
  /** What is done. It takes as long as it lasts. */
  @FunctionalInterface
  interface Harm {
    void run() throws Exception;
  }

  private final Set<Fault.Kind> without;
  private final FaultLog log;
  private final AttendedSleep sleep;

  FaultInjector(Set<Fault.Kind> without, FaultLog log, AttendedSleep sleep) {
    this.without = without;
    this.log = log;
    this.sleep = sleep;
  }

  /**
   * Whether faults of this kind are left out.
   *
   * @param time how long it would have taken; it has passed if the answer is yes
   */
  boolean leavesOut(Fault.Kind kind, Duration time) throws InterruptedException {
    boolean out = without.contains(kind);
    if (out) {
      sleep.sleep(time);
    }
    return out;
  }

  /**
   * Harms one instance.
   *
   * @param life asked afterwards, as the harm may begin another one
   * @param time how long it takes
   */
  void inflict(Fault.Kind kind, Supplier<String> life, Duration time, Harm harm) throws Exception {
    if (leavesOut(kind, time)) {
      return;
    }
    long from = FaultLog.now();
    harm.run();
    log.note(kind, life.get(), from);
  }

  /**
   * Harms all instances.
   *
   * @param time how long it takes
   */
  void inflictOnAll(Fault.Kind kind, Duration time, Harm harm) throws Exception {
    if (leavesOut(kind, time)) {
      return;
    }
    long from = FaultLog.now();
    harm.run();
    log.noteOfAll(kind, from);
  }

  /** Harms all instances by something that had its effect from an earlier time on. */
  void inflictOnAllSince(long from, Fault.Kind kind, Duration time, Harm harm) throws Exception {
    if (leavesOut(kind, time)) {
      return;
    }
    harm.run();
    log.noteOfAll(kind, from);
  }

  /** Does something that stays to the end: it is noted with the time at which it was there. */
  void leaveBehind(Fault.Kind kind, Harm harm) throws Exception {
    if (leavesOut(kind, Duration.ZERO)) {
      return;
    }
    harm.run();
    log.noteOfAll(kind, FaultLog.now());
  }
}
