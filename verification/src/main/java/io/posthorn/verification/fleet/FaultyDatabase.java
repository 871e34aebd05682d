/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import java.time.Duration;
import java.util.Map;

/** The database under test: administrators change it and end sessions, or it stores no outcomes. */
public final class FaultyDatabase {
  private final ChaosDatabase database;
  private final FaultInjector faults;
  private final AttendedSleep sleep;

  FaultyDatabase(ChaosDatabase database, FaultInjector faults, AttendedSleep sleep) {
    this.database = database;
    this.faults = faults;
    this.sleep = sleep;
  }

  /** Sets timeouts of the role, by the names of the settings. */
  public void limitRole(Map<String, Duration> timeouts) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.ROLE_TIMEOUTS,
        Duration.ZERO,
        () -> {
          for (Map.Entry<String, Duration> timeout : timeouts.entrySet()) {
            database.limitRole(timeout.getKey(), timeout.getValue());
          }
          database.terminateSome(1); // only new sessions have the timeouts
        });
  }

  /** Executes a statement that locks whole tables. */
  public void maintain(String statement) throws Exception {
    faults.inflictOnAll(Fault.Kind.MAINTENANCE, Duration.ZERO, () -> database.maintain(statement));
  }

  /**
   * @param share the probability with which each session is ended
   */
  public void terminateSessions(double share) throws Exception {
    faults.inflictOnAll(Fault.Kind.TERMINATE, Duration.ZERO, () -> database.terminateSome(share));
  }

  /**
   * Lets the database fail to store outcomes.
   *
   * @param slowly whether each statement fails by a timeout, or at once
   */
  public void refuseSettles(boolean slowly, Duration time) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.REFUSED_SETTLES,
        time,
        () -> {
          database.refuseSettles(
              slowly ? ChaosDatabase.Refusal.TIMEOUT : ChaosDatabase.Refusal.DISK);
          sleep.sleep(time);
          database.refuseSettles(ChaosDatabase.Refusal.NONE);
        });
  }
}
