/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class InboxMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final InboxMetrics metrics = new InboxMetrics(registry);

  private double count(String name, String consumer) {
    return registry.get("posthorn.inbox." + name).tag("consumer", consumer).counter().count();
  }

  @Test
  void eachConsumerIsCountedForItself() {
    metrics.consumed("warehouse", 2);
    metrics.consumed("warehouse", 1);
    metrics.consumed("billing", 5);
    metrics.duplicate("billing", 4);
    metrics.failed("warehouse", 6);
    metrics.cacheHit("warehouse", 7);
    metrics.cacheMiss("warehouse", 8);
    metrics.purged(1_000);

    assertThat(count("consumed", "warehouse")).isEqualTo(3);
    assertThat(count("consumed", "billing")).isEqualTo(5);
    assertThat(count("duplicate", "billing")).isEqualTo(4);
    assertThat(count("failed", "warehouse")).isEqualTo(6);
    assertThat(count("cache.hit", "warehouse")).isEqualTo(7);
    assertThat(count("cache.miss", "warehouse")).isEqualTo(8);
    assertThat(registry.get("posthorn.inbox.purged").counter().count()).isEqualTo(1_000);
  }
}
