/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Sent.Timing;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Delayed and expiring messages, idempotency keys, contents: what must pass, and what must not. */
class MessageKindsCheckerTest {
  private final ForgedHistory forged = new ForgedHistory();

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts()).isEqualTo(Map.of(kind, 1L));
  }

  private void assertKept() {
    assertThat(forged.judge().counts()).isEmpty();
  }

  @Test
  void acceptsADelayedMessageBehindLaterOnesOfItsKey() {
    UUID delayed = forged.commit("k", 0, Timing.notBefore(forged.now() + 1_000));
    UUID next = forged.commit("k", 1);
    forged.deliver(next).pass(1_000).deliver(delayed);
    assertKept();
  }

  @Test
  void findsADelayedMessageThatCameTooEarly() {
    forged.deliver(forged.commit("k", 0, Timing.notBefore(forged.now() + 1_000)));
    assertOnly(Violation.Kind.TOO_EARLY);
  }

  @Test
  void findsADelayedMessageThatNeverCame() {
    forged.commit("k", 0, Timing.notBefore(forged.now() + 1_000));
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsADelayedMessageBesideAnotherOneOfItsKey() {
    UUID delayed = forged.commit("k", 0, Timing.notBefore(forged.now()));
    UUID next = forged.commit("k", 1);
    forged.start(next).start(delayed).done(delayed).done(next);
    assertOnly(Violation.Kind.SIDE_BY_SIDE);
  }

  @Test
  void acceptsThatAnExpiredMessageIsDropped() {
    forged.commit("k", 1, Timing.until(forged.now() + 100));
    UUID next = forged.commit("k", 2);
    forged.pass(200).deliver(next);
    assertKept();
  }

  @Test
  void findsThatAMessageWasDroppedBeforeItHadExpired() {
    forged.commit("k", 1, Timing.until(forged.now() + 1_000));
    forged.deliver(forged.commit(null, 0));
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsAnExpiredMessageThatWasDelivered() {
    UUID id = forged.commit("k", 1, Timing.until(forged.now() + 1_000));
    forged.pass(6_000).deliver(id);
    assertOnly(Violation.Kind.EXPIRED);
  }

  @Test
  void acceptsItOfARelayThatWasFrozenMeanwhile() {
    UUID id = forged.commit("k", 1, Timing.until(forged.now() + 1));
    forged.pass(2_000).fault(Fault.Kind.FREEZE, "a#1").pass(3_000).deliver(id);
    assertKept();
  }

  @Test
  void findsAnExpiringMessageThatWasOvertaken() {
    UUID first = forged.commit("k", 1, Timing.until(forged.now() + 1_000));
    UUID second = forged.commit("k", 2);
    forged.deliver(second).deliver(first).pass(1_000).deliver(forged.commit(null, 0));
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void acceptsAnIdempotencyKeyThatIsTaken() {
    UUID id = forged.commitOnce("key");
    forged.deliver(id).take(id);
    assertKept();
  }

  @Test
  void findsTwoMessagesUnderOneIdempotencyKey() {
    forged.deliver(forged.commitOnce("key")).deliver(forged.commitOnce("key"));
    assertOnly(Violation.Kind.IDEMPOTENCY_KEY);
  }

  @Test
  void findsAnIdempotencyKeyThatWasTakenByNobody() {
    forged.take(UUID.randomUUID());
    assertOnly(Violation.Kind.IDEMPOTENCY_KEY);
  }

  @Test
  void findsAMessageThatDidNotArriveAsItWasPublished() {
    UUID id = forged.commit("k", 1);
    forged.start(id).note(Receipt.Kind.GARBLED, id, 1).done(id);
    assertOnly(Violation.Kind.GARBLED);
  }
}
