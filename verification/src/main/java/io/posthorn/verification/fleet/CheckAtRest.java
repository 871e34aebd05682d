/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Bounds;
import io.posthorn.verification.check.Checker;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.instance.ChaosTables;
import io.posthorn.verification.instance.InstanceMain;
import io.posthorn.verification.instance.InstanceSettings;
import io.posthorn.verification.instance.Tuning;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Lets everything come to rest, and compares the histories: what is under way can't be compared.
 */
final class CheckAtRest {
  /** After the last fault: a message that kills its process makes some of its own. */
  private static final Duration DRAIN_PATIENCE = Duration.ofMinutes(2);

  private static final Duration MAX_DRAIN = Duration.ofMinutes(10);
  private static final Duration CONSUMER_PATIENCE = Duration.ofSeconds(20);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int LOOKS_PER_TIDYING = 20;

  private final FleetPlan plan;
  private final InstanceGroup instances;
  private final ChaosDatabase database;
  private final FaultLog faults;
  private final AttendedSleep sleep;
  private long unconsumed;
  private long unconsumedSince = now();

  CheckAtRest(
      FleetPlan plan,
      InstanceGroup instances,
      ChaosDatabase database,
      FaultLog faults,
      AttendedSleep sleep) {
    this.plan = plan;
    this.instances = instances;
    this.database = database;
    this.faults = faults;
    this.sleep = sleep;
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  /** Compares. If all promises were kept, the histories are forgotten, and everything goes on. */
  Verdict checkAndGoOn() throws IOException, SQLException, InterruptedException {
    if (!comeToRest()) {
      return stopAndJudge();
    }
    Verdict verdict = judge(false);
    if (verdict.kept()) {
      History.forget(plan.directory(), instances.lives());
      database.forget();
      faults.clear();
      instances.resume();
    }
    return verdict;
  }

  /** Stops all instances, and compares. */
  Verdict checkAtLast() throws IOException, SQLException, InterruptedException {
    comeToRest();
    return stopAndJudge();
  }

  private Verdict stopAndJudge() throws IOException, SQLException, InterruptedException {
    instances.endAtLast();
    return judge(true);
  }

  /** Whether everything has come to rest in time. */
  private boolean comeToRest() throws IOException, SQLException, InterruptedException {
    instances.rest();
    long begun = now();
    for (int look = 0; !atRest() && now() < drainEnd(begun); look++) {
      if (look % LOOKS_PER_TIDYING == 0) {
        instances.first().tell(InstanceMain.TIDY);
      }
      sleep.sleep(LOOK);
      instances.supervise();
    }
    return atRest();
  }

  private long drainEnd(long begun) {
    long calm = Math.max(begun, faults.lastEnd());
    return Math.min(
        calm + ClassPath.patience(DRAIN_PATIENCE).toMillis(), begun + MAX_DRAIN.toMillis());
  }

  /** Nobody publishes, everything is settled, and who has died is known to be dead. */
  private boolean atRest() throws SQLException {
    return instances.quiet()
        && database.pending() == 0
        && database.instances() == instances.size()
        && (!plan.has(FleetPlan.Extra.BROKER) || consumed());
  }

  /** Consumers have had everything, or nothing more comes: what has expired never does. */
  private boolean consumed() throws SQLException {
    long missing = database.unconsumed();
    if (missing != unconsumed) {
      unconsumed = missing;
      unconsumedSince = now();
    }
    return missing == 0 || now() - unconsumedSince > CONSUMER_PATIENCE.toMillis();
  }

  private Verdict judge(boolean stopped) throws IOException, SQLException {
    History history = database.history(plan.directory(), stopped);
    Bounds bounds =
        new Bounds(
            EnumSet.allOf(Receiver.class),
            plan.has(FleetPlan.Extra.BROKER) ? ChaosTables.CONSUMERS : Set.of(),
            Tuning.MOST_WORKERS,
            InstanceSettings.WINDOW,
            plan.waits());
    return new Checker(bounds, history, faults.all()).judge();
  }
}
