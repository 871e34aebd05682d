/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OrderTest {
  @Test
  void jsonHas450BytesAndSaysNumberAndKey() {
    byte[] json = Order.of(1_234_567, 42).json();
    assertThat(json).hasSize(450);
    assertThat(Order.parse(json).number()).isEqualTo(1_234_567);
    assertThat(Order.parse(json).key()).isEqualTo(42);
  }
}
