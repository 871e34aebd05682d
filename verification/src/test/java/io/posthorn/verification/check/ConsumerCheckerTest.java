/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What consumers behind a broker have to do. */
class ConsumerCheckerTest {
  private static final String CONSUMER = "warehouse";

  private final ForgedHistory forged = new ForgedHistory().consumer(CONSUMER);
  private UUID first = new UUID(0, 0);
  private UUID second = new UUID(0, 0);

  @BeforeEach
  void deliverTwo() {
    first = forged.commit("k", 1);
    second = forged.commit("k", 2);
    forged.deliver(first).deliver(second);
  }

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts().keySet()).containsExactly(kind);
  }

  @Test
  void acceptsOneEffectOfEach() {
    forged.consume(CONSUMER, first).consume(CONSUMER, second);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void findsALostEffect() {
    forged.consume(CONSUMER, first);
    assertOnly(Violation.Kind.LOST_EFFECT);
  }

  @Test
  void findsARepeatedEffect() {
    forged.consume(CONSUMER, first).consume(CONSUMER, second).consume(CONSUMER, second);
    assertOnly(Violation.Kind.REPEATED_EFFECT);
  }

  @Test
  void findsAnEffectOfNothing() {
    forged.consume(CONSUMER, first).consume(CONSUMER, second);
    forged.consume(CONSUMER, UUID.randomUUID());
    assertOnly(Violation.Kind.FALSE_EFFECT);
  }

  @Test
  void findsEffectsInDisorder() {
    forged.consume(CONSUMER, second).consume(CONSUMER, first);
    assertOnly(Violation.Kind.DISORDER);
  }
}
