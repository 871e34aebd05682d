/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AuditTest {
  private static final Numbering ONE_WRITER = new Numbering(1);

  private final NumberLog handled = new NumberLog();
  private long now;

  @Test
  void allHandledOnceInOrderIsClean() {
    handle(0, 1, 2, 1000, 1001);
    assertThat(audit(5, 0)).isEqualTo(new Audit(0, 0, 0));
  }

  @Test
  void whatIsNeitherHandledNorPendingIsLost() {
    handle(0, 1);
    assertThat(audit(5, 2)).isEqualTo(new Audit(1, 0, 0));
  }

  @Test
  void repetitionsAreCountedAndAreNoDisorder() {
    handle(0, 1_000, 0, 0);
    assertThat(audit(1_001, 999)).isEqualTo(new Audit(0, 2, 0));
  }

  @Test
  void messageAfterALaterOneOfItsKeyIsOutOfOrder() {
    handle(1_000, 1, 0);
    assertThat(audit(1_001, 998)).isEqualTo(new Audit(0, 0, 1));
  }

  @Test
  void otherKeysHaveNoOrder() {
    handle(3, 2, 1, 0);
    assertThat(audit(4, 0)).isEqualTo(new Audit(0, 0, 0));
  }

  @Test
  void timesDecideNotTheOrderOfNotes() {
    handled.add(1_000, 20);
    handled.add(0, 10);
    assertThat(Audit.of(1_001, ONE_WRITER, handled, 999).outOfOrder()).isZero();
  }

  private void handle(long... numbers) {
    for (long number : numbers) {
      handled.add(number, now++);
    }
  }

  private Audit audit(long committed, long pending) {
    long last = Math.max(committed, 1_002);
    return Audit.of(last, ONE_WRITER, handled, pending + last - committed);
  }
}
