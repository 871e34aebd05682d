/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MissingTopicsTest {
  private final AtomicLong now = new AtomicLong(-3);
  private final MissingTopics missing = new MissingTopics(now::get);

  @Test
  void aTopicIsMissingForAWhileThenOneLooksAgain() {
    assertThat(missing.contains("orders")).isFalse();
    missing.add("orders");
    assertThat(missing.contains("orders")).isTrue();
    assertThat(missing.contains("invoices")).isFalse();

    now.addAndGet(MissingTopics.REMEMBERED.toNanos());
    assertThat(missing.contains("orders")).as("for who asks first").isFalse();
    assertThat(missing.contains("orders")).as("for who asks next").isTrue();
  }

  @Test
  void aTopicThatWasFoundIsForgotten() {
    missing.add("orders");
    missing.remove("orders");
    assertThat(missing.contains("orders")).isFalse();
  }
}
