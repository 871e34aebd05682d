/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.scenario.Scenarios;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static Verdict verdict(long messages, long wait, Map<Violation.Kind, Long> violations) {
    return new Verdict(
        messages,
        0,
        2,
        3,
        violations,
        List.of(),
        Map.of(Fault.Kind.KILL, wait),
        Map.of(Fault.Kind.KILL, 4));
  }

  private static ChaosRun run(Scenarios scenario, long seed) {
    return new ChaosRun(TestedDatabases.POSTGRESQL, scenario, seed, Duration.ofSeconds(5));
  }

  @Test
  void runsOfAScenarioAreAddedUp() {
    Report report = new Report();
    report.add(run(Scenarios.KILL, 1), verdict(100, 1_000, Map.of()));
    report.add(run(Scenarios.KILL, 2), verdict(50, 2_500, Map.of(Violation.Kind.LOST, 7L)));
    report.add(run(Scenarios.FREEZE, 1), verdict(10, 500, Map.of()));

    assertThat(report.summary().lines().skip(2))
        .containsExactly(
            "| `kill` | 2 | 8 kill | 150 | 7 | 0 | 0 | 0 | 0 | 0 | 0 | 6 | 4 | kill 2.5 s | kept in 1 |",
            "| `freeze` | 1 | 4 kill | 10 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 3 | 2 | kill 0.5 s | kept in 1 |");
  }
}
