/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessorTimeTest {
  @Test
  void endedChildrenAreReadWhateverTheProcessIsCalled() {
    String stat =
        "812 (a) b (c) S 1 812 812 0 -1 4194560 900 80000 0 11 21 22 123 77 20 0 1 0 5000 1 2";
    assertThat(ProcessorTime.endedChildren(stat)).isEqualTo(2_000_000);
    assertThat(ProcessorTime.wholeProcess(stat)).isEqualTo(430_000);
  }

  @Test
  void timeOnAProcessorIsTheFirstFigure() {
    assertThat(ProcessorTime.nanos("104717 835794 2\n")).isEqualTo(104_717);
  }

  @Test
  void whatWasUsedIsDividedByTheMessages() {
    Outcome outcome =
        new ProcessorTime(5_000, 900)
            .perMessage(new ProcessorTime(1_000, 500), 40)
            .addTo(Outcome.nothing());
    assertThat(outcome.more())
        .isEqualTo(Map.of(Outcome.JVM_MICROS, 100.0, Outcome.SERVER_MICROS, 10.0));
  }

  @Test
  void serverIsNotCountedWhereItIsNotSeen() {
    Outcome outcome =
        new ProcessorTime(2, Double.NaN)
            .perMessage(new ProcessorTime(1, Double.NaN), 1)
            .addTo(Outcome.nothing());
    assertThat(outcome.more().get(Outcome.JVM_MICROS)).isCloseTo(1, within(1e-9));
    assertThat(outcome.more().get(Outcome.SERVER_MICROS)).isNaN();
  }
}
