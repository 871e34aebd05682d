/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.benchmarks.subject.Order;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberingTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16})
  void eachKeyHasOneWriterAndAllKeysAreUsed(int writers) {
    Numbering numbering = new Numbering(writers);
    Map<Integer, Integer> writerOfKey = new HashMap<>();
    for (int writer = 0; writer < writers; writer++) {
      for (long turn = 0; turn < 2_000; turn++) {
        Order order = numbering.order(writer, turn);
        assertThat(writerOfKey.merge(order.key(), writer, (a, b) -> b)).isEqualTo(writer);
      }
    }
    assertThat(writerOfKey).hasSize(Order.KEYS);
  }
}
