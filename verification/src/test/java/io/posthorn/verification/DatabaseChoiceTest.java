/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.scenario.Scenarios;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseChoiceTest {
  private static final TestedDatabase MARIADB = TestedDatabases.named("mariadb").orElseThrow();

  @Test
  void everyScenarioRunsOnPostgresql() {
    assertThat(Scenarios.values())
        .allMatch(scenario -> scenario.runsOn(TestedDatabases.POSTGRESQL));
  }

  @Test
  void whatNeedsPostgresqlDoesNotRunOnMariaDb() {
    assertThat(Scenarios.values())
        .filteredOn(scenario -> !scenario.runsOn(MARIADB))
        .contains(Scenarios.PROMOTION, Scenarios.POOLER, Scenarios.OLD_SNAPSHOT)
        .doesNotContain(Scenarios.KILL, Scenarios.DATABASE_CRASH, Scenarios.MIX);
  }

  @Test
  void theCommandThatRepeatsARunNamesItsDatabase() {
    Duration time = Duration.ofSeconds(5);

    assertThat(new ChaosRun(MARIADB, Scenarios.KILL, 1, time).command())
        .isEqualTo("bin/chaos --database mariadb --scenario kill --seed 1 --duration 5s");
    assertThat(new ChaosRun(TestedDatabases.POSTGRESQL, Scenarios.KILL, 1, time).command())
        .isEqualTo("bin/chaos --scenario kill --seed 1 --duration 5s");
  }
}
