/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** With forged series of two hours, a sample every 30 s. */
class DriftTest {
  private static final int SAMPLES = 240;
  private static final Drift HEAP = new Drift(true, 0.3, 16);
  private static final Drift THROUGHPUT = new Drift(false, 0.35, 20);

  private final Random random = new Random(7);

  private List<Double> series(IntToDoubleFunction value) {
    return IntStream.range(0, SAMPLES)
        .mapToObj(i -> value.applyAsDouble(i) + 10 * random.nextGaussian())
        .toList();
  }

  @Test
  void aSlopeIsADrift() {
    assertThat(HEAP.of(series(i -> 80 + 0.25 * i))).isTrue();
  }

  @Test
  void noiseIsNone() {
    assertThat(HEAP.of(series(i -> 80))).isFalse();
  }

  @Test
  void spikesAreNone() {
    assertThat(HEAP.of(series(i -> i % 20 < 4 ? 500 : 80))).isFalse();
    assertThat(HEAP.of(series(i -> i > SAMPLES - 20 ? 500 : 80))).isFalse();
  }

  @Test
  void warmingUpIsNone() {
    assertThat(HEAP.of(series(i -> i < 40 ? i : 120))).isFalse();
  }

  @Test
  void anotherLevelIsNone() {
    assertThat(HEAP.of(series(i -> i < 120 ? 80 : 140))).isFalse();
  }

  @Test
  void aSawToothWithARisingFloorIsADrift() {
    assertThat(HEAP.of(series(i -> 60 + 40.0 * (i % 12) / 12 + 0.4 * i))).isTrue();
  }

  @Test
  void aSawToothIsNone() {
    assertThat(HEAP.of(series(i -> 60 + 40.0 * (i % 12) / 12))).isFalse();
  }

  @Test
  void lessThroughputIsADriftAndMoreIsNone() {
    assertThat(THROUGHPUT.of(series(i -> 800 - 2.0 * i))).isTrue();
    assertThat(THROUGHPUT.of(series(i -> 800 + 2.0 * i))).isFalse();
  }

  @Test
  void aFewValuesSayNothing() {
    assertThat(HEAP.of(series(i -> 80 + i).subList(0, 20))).isFalse();
  }
}
