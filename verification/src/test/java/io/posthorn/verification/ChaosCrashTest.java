/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.scenario.Scenarios;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short mix of everything, with a seed of its own. The long runs are in docs/reliability.md. */
class ChaosCrashTest {
  @TempDir private Path directory;

  @Test
  void promisesAreKeptThroughAMixOfFaults() throws Exception {
    Verdict verdict =
        new ChaosRun(TestedDatabases.POSTGRESQL, Scenarios.MIX, 20_261_115, Duration.ofSeconds(45))
            .run(directory, word -> {});

    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.counts()).isEmpty();
    assertThat(verdict.messages()).isGreaterThan(1_000);
    assertThat(verdict.faults()).hasSizeGreaterThan(3);
  }
}
