/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class EffortTest {
  private final Effort cold = new Effort(10, 20_000, 5_000);

  @Test
  void coldRunsCountFromAnAgeOfTheJvm() {
    assertThat(cold.runUp(Duration.ZERO, 1_200)).isEqualTo(Duration.ofMillis(3_800));
    assertThat(cold.runUp(Duration.ZERO, 6_000)).isZero();
    assertThat(cold.runUp(Duration.ofSeconds(1), 4_500)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void warmRunsCountFromTheEndOfTheirRunUp() {
    Effort warm = new Effort(10, 20_000, 0);
    assertThat(warm.runUp(Duration.ofSeconds(1), 20)).isEqualTo(Duration.ofSeconds(1));
    assertThat(warm.cold()).isFalse();
  }

  @Test
  void isSentToProcessesAsJson() {
    JsonMapper json = JsonMapper.shared();
    assertThat(json.readValue(json.writeValueAsString(cold), Effort.class)).isEqualTo(cold);
  }
}
