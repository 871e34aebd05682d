/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.fleet.Fleet;
import io.posthorn.verification.scenario.Scenarios;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** One scenario with one seed, on a server of its own: it is stopped and crashed. */
record ChaosRun(Scenarios scenario, long seed, Duration duration) {
  /** Seeds that are close to each other would begin with the same numbers. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** How to run it again. */
  String command() {
    return "bin/chaos --scenario %s --seed %d --duration %ds"
        .formatted(scenario.label(), seed, duration.toSeconds());
  }

  /**
   * @param directory where the histories and logs are kept
   * @param progress told now and then how far it is
   */
  Verdict run(Path directory, Consumer<String> progress) throws Exception {
    Random setting = new Random(seed * SPREAD);
    Path own = Files.createDirectories(directory.resolve(scenario.label() + "-" + seed));
    try (PostgresServer server = PostgresServer.newest()) {
      server.withSetting("max_connections", "200");
      server.start();
      try (Fleet fleet =
          Fleet.start(
              server,
              new Fleet.Plan(
                  own,
                  seed,
                  scenario.partitions(setting),
                  scenario.members(setting),
                  scenario.extras(),
                  scenario.outages(),
                  scenario.waits()),
              progress)) {
        fleet.beginWriting();
        scenario.run(fleet, new Random(seed), duration);
        return fleet.finish();
      }
    }
  }
}
