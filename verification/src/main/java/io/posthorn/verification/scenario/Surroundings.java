/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.scenario;

import static io.posthorn.verification.scenario.Scenarios.between;
import static io.posthorn.verification.scenario.Scenarios.kill;
import static io.posthorn.verification.scenario.Scenarios.one;
import static io.posthorn.verification.scenario.Scenarios.over;

import io.posthorn.verification.fleet.FaultyDatabase;
import io.posthorn.verification.fleet.FaultyDatabaseServer;
import io.posthorn.verification.fleet.FaultyInstance;
import io.posthorn.verification.fleet.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What other sessions, servers and brokers do to a fleet. */
final class Surroundings {
  private static final int DEAD_ROWS = 50_000;
  private static final List<String> TABLES =
      List.of(
          "outbox_message",
          "outbox_deferred",
          "outbox_dead",
          "outbox_instance",
          "outbox_heartbeat",
          "outbox_partition");

  private Surroundings() {}

  static void failOver(Fleet fleet, Random random, long end, boolean synchronous) throws Exception {
    FaultyDatabaseServer server = fleet.databaseServer();
    while (!over(end)) {
      server.addStandby(synchronous);
      fleet.sleep(between(random, 1_000, 4_000));
      Duration lag = synchronous ? Duration.ZERO : between(random, 1, 2_000);
      server.promoteStandby(synchronous, lag, between(random, 0, 1_000));
      fleet.sleep(between(random, 1_000, 3_000));
    }
  }

  static void restore(Fleet fleet, Random random, long end) throws Exception {
    FaultyDatabaseServer server = fleet.databaseServer();
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      FaultyDatabaseServer.Copy copy = server.backUp();
      fleet.sleep(between(random, 500, 4_000));
      server.restore(copy, between(random, 0, 1_000));
      fleet.sleep(between(random, 1_000, 3_000));
    }
  }

  static void oldSnapshot(Fleet fleet, Random random, long end) throws Exception {
    fleet.neighbours().keepSnapshot();
    while (!over(end)) {
      fleet.neighbours().leaveDeadRows(DEAD_ROWS);
      fleet.sleep(between(random, 500, 2_000));
      FaultyInstance victim = one(fleet, random);
      if (random.nextBoolean()) {
        victim.kill();
      } else {
        victim.stop();
      }
      victim.start();
    }
  }

  static void openTransaction(Fleet fleet, Random random, long end) throws Exception {
    fleet.neighbours().keepTransaction();
    fleet.neighbours().keepPrepared();
    kill(fleet, random, end);
  }

  static void pooler(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 4_000));
      FaultyInstance victim = one(fleet, random);
      switch (random.nextInt(5)) {
        case 0 -> fleet.pooler().kill();
        case 1 -> fleet.database().terminateSessions(0.5);
        case 2 -> fleet.databaseServer().restart(random.nextBoolean(), between(random, 0, 1_000));
        case 3 -> {
          victim.stop();
          victim.start();
        }
        default -> {
          victim.kill();
          victim.start();
        }
      }
    }
  }

  static void maintain(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 100, 1_000));
      maintainOne(fleet, random);
      if (random.nextInt(4) == 0) {
        FaultyInstance victim = one(fleet, random);
        victim.kill();
        victim.start();
      }
    }
  }

  /** One thing that neighbours do. */
  static void disturb(Fleet fleet, Random random) throws Exception {
    switch (random.nextInt(6)) {
      case 0 -> {
        fleet.databaseServer().addStandby(true);
        fleet.databaseServer().promoteStandby(true, Duration.ZERO, between(random, 0, 500));
      }
      case 1 -> fleet.neighbours().keepSnapshot();
      case 2 -> fleet.neighbours().keepTransaction();
      case 3 -> maintainOne(fleet, random);
      case 4 -> lockOne(fleet, random);
      default ->
          fleet.neighbours().takeConnections(one(fleet, random), between(random, 500, 2_000));
    }
  }

  static void maintainOne(Fleet fleet, Random random) throws Exception {
    FaultyDatabase database = fleet.database();
    String table = TABLES.get(random.nextInt(TABLES.size()));
    switch (random.nextInt(3)) {
      case 0 -> database.maintain("VACUUM FULL " + table);
      case 1 -> database.maintain("REINDEX TABLE " + table);
      default -> {
        database.maintain("ALTER TABLE " + table + " ADD COLUMN of_a_neighbour text DEFAULT 'x'");
        fleet.sleep(between(random, 100, 2_000));
        database.maintain("ALTER TABLE " + table + " DROP COLUMN of_a_neighbour");
      }
    }
  }

  static void roleTimeouts(Fleet fleet, Random random, long end) throws Exception {
    fleet
        .database()
        .limitRole(
            Map.of(
                "statement_timeout", between(random, 800, 1_500),
                "lock_timeout", between(random, 100, 300),
                "idle_in_transaction_session_timeout", between(random, 500, 1_500)));
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      lockOne(fleet, random);
      if (random.nextInt(4) == 0) {
        FaultyInstance victim = one(fleet, random);
        victim.kill();
        victim.start();
      }
    }
  }

  static void connections(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 500, 2_000));
      FaultyInstance starting = one(fleet, random);
      fleet.neighbours().takeConnections(starting, between(random, 5_000, 9_000)); // a JVM starts
    }
  }

  static void diskFull(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 3_000));
      fleet.disk().fill(between(random, 500, 4_000));
    }
  }

  static void brokers(Fleet fleet, Random random, long end) throws Exception {
    while (!over(end)) {
      fleet.sleep(between(random, 1_000, 4_000));
      FaultyInstance victim = one(fleet, random);
      switch (random.nextInt(8)) {
        case 0, 1 -> fleet.broker().restart(random.nextInt(3) > 0, between(random, 0, 4_000));
        case 2 -> fleet.broker().freeze(between(random, 1_000, 6_000));
        case 3 -> fleet.broker().closeDestination(random, between(random, 1_000, 6_000));
        case 4 -> fleet.broker().refuseMessages(between(random, 1_000, 6_000));
        case 5 -> victim.freeze(victim.lease().multipliedBy(2));
        case 6 -> {
          victim.stop();
          victim.start();
        }
        default -> {
          victim.kill();
          victim.start();
        }
      }
    }
  }

  static void lockOne(Fleet fleet, Random random) throws Exception {
    fleet.neighbours().lock(TABLES.get(random.nextInt(TABLES.size())), between(random, 100, 800));
  }
}
