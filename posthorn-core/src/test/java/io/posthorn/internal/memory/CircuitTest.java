/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a handler whose destination is down is tried again. */
class CircuitTest {
  private static final long PROBE = 1_000;

  private long now = 5_000_000;
  private final Circuit circuit = new Circuit(PROBE, now);

  @Test
  void theFirstFailureIsNewsAndTheCircuitKnowsHowLongItWasOpen() {
    assertThat(circuit.isOpen()).isFalse();
    assertThat(circuit.open(now)).isTrue();
    now += 300;
    assertThat(circuit.open(now)).isFalse();
    now += 400;
    assertThat(circuit.close(now)).isEqualTo(700);
    assertThat(circuit.isOpen()).isFalse();
    assertThat(circuit.open(now)).isTrue();
  }

  @Test
  void aMessageMayBeTriedWhenTheProbeTimeHasCome() {
    circuit.open(now);
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE);
    now += PROBE - 1;
    assertThat(circuit.mayProbe(now)).isFalse();
    now += 1;
    assertThat(circuit.mayProbe(now)).isTrue();
    now += 1;
    assertThat(circuit.nanosUntilProbe(now)).isZero();
  }

  @Test
  void eachFailurePutsTheNextTryOff() {
    circuit.open(now);
    now += 600;
    circuit.open(now);
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE);
  }

  @Test
  void oneMessageIsTriedAtATime() {
    circuit.open(now);
    now += PROBE;
    circuit.probeBegins();
    assertThat(circuit.mayProbe(now)).isFalse();
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(Long.MAX_VALUE);
    circuit.probeEnds(now);
    assertThat(circuit.mayProbe(now)).isFalse();
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE);
    now += PROBE;
    assertThat(circuit.mayProbe(now)).isTrue();
  }

  @Test
  void afterAReturnOfTheDatabaseTriesComeOftenForAWhile() {
    circuit.open(now);
    circuit.databaseBack(now);
    assertThat(circuit.mayProbe(now)).isTrue();
    circuit.probeEnds(now);
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE / 20);
    now += PROBE - 1;
    circuit.probeEnds(now);
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE / 20);
    now += 1;
    circuit.probeEnds(now);
    assertThat(circuit.nanosUntilProbe(now)).isEqualTo(PROBE);
  }
}
