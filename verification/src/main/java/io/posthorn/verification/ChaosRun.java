/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.fleet.Fleet;
import io.posthorn.verification.fleet.FleetPlan;
import io.posthorn.verification.fleet.Member;
import io.posthorn.verification.scenario.Scenarios;
import io.posthorn.verification.soak.Sampler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One scenario with one seed, on a server of its own: it is stopped and crashed.
 *
 * @param without kinds of faults that are left out
 */
record ChaosRun(
    TestedDatabase database,
    Scenarios scenario,
    long seed,
    Duration duration,
    Set<Fault.Kind> without) {
  /** Seeds that are close to each other would begin with the same numbers. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** What is compared at once in a long run; all of its history is in memory then. */
  private static final Duration STRETCH = Duration.ofMinutes(5);

  /** So low that a backlog is worked off between faults: else every figure would grow with it. */
  private static final int SOAK_RATE = 15;

  private static final Duration SAMPLE_OFTEN = Duration.ofSeconds(10);
  private static final Duration SAMPLE_SELDOM = Duration.ofSeconds(30);

  ChaosRun(TestedDatabase database, Scenarios scenario, long seed, Duration duration) {
    this(database, scenario, seed, duration, Set.of());
  }

  /** How to run it again. */
  String command() {
    String command =
        "bin/chaos%s --scenario %s --seed %d --duration %ds"
            .formatted(
                database == TestedDatabases.POSTGRESQL ? "" : " --database " + database.label(),
                scenario.label(),
                seed,
                duration.toSeconds());
    return without.isEmpty()
        ? command
        : command
            + without.stream()
                .map(Fault.Kind::option)
                .sorted()
                .collect(Collectors.joining(",", " --without ", ""));
  }

  /** The same without these faults, and perhaps shorter. */
  ChaosRun without(Set<Fault.Kind> kinds, Duration longest) {
    return new ChaosRun(
        database,
        scenario,
        seed,
        duration.compareTo(longest) > 0 ? longest : duration,
        Set.copyOf(kinds));
  }

  /** Whether it is so long that it is compared in parts, and watched for drift. */
  private boolean isSoak() {
    return scenario == Scenarios.MIX && duration.compareTo(STRETCH) > 0;
  }

  /**
   * @param directory where the histories and logs are kept
   * @param progress told now and then how far it is
   */
  Verdict run(Path directory, Consumer<String> progress) throws Exception {
    Random setting = new Random(seed * SPREAD);
    Path own = Files.createDirectories(directory.resolve(scenario.label() + "-" + seed));
    try (DatabaseServer server = database.start()) {
      int partitions = scenario.partitions(setting);
      List<Member> members = scenario.members(setting);
      try (Fleet fleet =
          Fleet.start(
              server,
              new FleetPlan(
                  database,
                  own,
                  seed,
                  partitions,
                  isSoak() ? soaking(members) : members,
                  scenario.extras(),
                  scenario.outages(),
                  scenario.waits(),
                  without),
              progress)) {
        fleet.beginWriting();
        if (isSoak()) {
          return soak(fleet, own, progress);
        }
        scenario.run(fleet, new Random(seed), duration);
        return fleet.finish();
      }
    }
  }

  private static List<Member> soaking(List<Member> members) {
    return Stream.concat(members.stream(), Stream.of(Member.of(Member.STEADY)))
        .map(member -> member.writing(SOAK_RATE))
        .toList();
  }

  private Verdict soak(Fleet fleet, Path own, Consumer<String> progress) throws Exception {
    Duration interval = duration.toHours() < 1 ? SAMPLE_OFTEN : SAMPLE_SELDOM;
    Sampler sampler = Sampler.start(own, fleet.url(), database.sizes(), Member.STEADY, interval);
    Verdict verdict;
    try {
      verdict = inStretches(fleet, sampler, progress);
    } finally {
      sampler.stop();
    }
    progress.accept("figures\n" + sampler.table());
    return verdict.drifting(sampler.drifts());
  }

  private Verdict inStretches(Fleet fleet, Sampler sampler, Consumer<String> progress)
      throws Exception {
    long end = System.nanoTime() + duration.toNanos();
    Random random = new Random(seed);
    Verdict verdict = Verdict.NOTHING;
    while (true) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      boolean last = left.compareTo(STRETCH) <= 0;
      scenario.run(fleet, random, last ? left : STRETCH);
      sampler.idle(true);
      Verdict part = last ? fleet.finish() : fleet.check();
      verdict = verdict.and(part);
      if (last || !part.kept()) {
        return verdict;
      }
      sampler.idle(false);
      progress.accept("all promises kept so far, %d messages".formatted(verdict.messages()));
    }
  }
}
