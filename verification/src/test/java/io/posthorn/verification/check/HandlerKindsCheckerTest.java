/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Intervention.Target;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What each kind of handler promises: histories that must pass, and forged ones that must not. */
class HandlerKindsCheckerTest {
  private final ForgedHistory forged = new ForgedHistory();

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts()).isEqualTo(Map.of(kind, 1L));
  }

  private void assertKept() {
    assertThat(forged.judge().counts()).isEmpty();
  }

  // --- transactional

  @Test
  void acceptsOneEffectForEachMessage() {
    forged.at(Receiver.LEDGER);
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.deliver(first).effect(first).deliver(second).effect(second);
    assertKept();
  }

  @Test
  void findsALostEffect() {
    forged.at(Receiver.LEDGER).deliver(forged.commit("k", 1));
    assertOnly(Violation.Kind.LOST_EFFECT);
  }

  @Test
  void findsARepeatedEffect() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    forged.deliver(id).effect(id).effect(id);
    assertOnly(Violation.Kind.REPEATED_EFFECT);
  }

  @Test
  void aKillExplainsNoRepeatedEffect() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    forged.deliver(id).effect(id).fault(Fault.Kind.KILL, "a#1").owner("b#1", 2);
    forged.deliver(id).effect(id);
    assertOnly(Violation.Kind.REPEATED_EFFECT);
  }

  @Test
  void acceptsThatACommitFailedAndTheMessageCameAgain() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    forged.deliver(id).deliver(id).effect(id);
    assertKept();
  }

  @Test
  void findsTheEffectOfADeadLetter() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1, Nature.ABORTS);
    forged.fail(id, 1).effect(id).die(id);
    assertOnly(Violation.Kind.FALSE_EFFECT);
  }

  @Test
  void findsTheEffectOfAMessageThatWasRolledBack() {
    forged.at(Receiver.LEDGER).effect(UUID.randomUUID());
    assertOnly(Violation.Kind.FALSE_EFFECT);
  }

  @Test
  void findsEffectsOutOfOrder() {
    forged.at(Receiver.LEDGER);
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.deliver(first).deliver(second).effect(second).effect(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void anAbortedTransactionHasToEndAsADeadLetterOfTransactionalHandlersOnly() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1, Nature.COMMIT_FAILS);
    forged.fail(id, 1);
    assertOnly(Violation.Kind.LOST);

    ForgedHistory plain = new ForgedHistory();
    plain.deliver(plain.commit("k", 1, Nature.COMMIT_FAILS));
    assertThat(plain.judge().kept()).isTrue();
  }

  // --- with a fallback

  @Test
  void acceptsAFallbackInPlaceOfADeadLetter() {
    forged.at(Receiver.AUDIT);
    UUID id = forged.commit("k", 1, Nature.POISON);
    UUID next = forged.commit("k", 2);
    forged.fail(id, 1).fail(id, 2).fail(id, 3).note(Receipt.Kind.FELL_BACK, id, 3).deliver(next);
    assertKept();
  }

  @Test
  void findsThatAMessageWasPassedBeforeItsFallbackRan() {
    forged.at(Receiver.AUDIT);
    UUID id = forged.commit("k", 1, Nature.POISON);
    UUID next = forged.commit("k", 2);
    forged.fail(id, 1).fail(id, 2).fail(id, 3).deliver(next).note(Receipt.Kind.FELL_BACK, id, 3);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsADeadLetterThatItsFallbackShouldHavePrevented() {
    forged.at(Receiver.AUDIT);
    UUID id = forged.commit("k", 1, Nature.POISON);
    forged.fail(id, 1).fail(id, 2).fail(id, 3).die(id);
    assertOnly(Violation.Kind.WRONG_DEAD_LETTER);
  }

  @Test
  void findsAFallbackWithoutReason() {
    forged.at(Receiver.AUDIT);
    UUID id = forged.commit("k", 1);
    forged.fail(id, 1).note(Receipt.Kind.FELL_BACK, id, 1);
    assertOnly(Violation.Kind.WRONG_FALLBACK);
  }

  // --- lanes that let pass

  @Test
  void acceptsThatAFailedMessageIsPassedWhereThePolicySaysSo() {
    forged.at(Receiver.SEARCH);
    UUID failing = forged.commit("k", 1, Nature.FAILS_ONCE);
    UUID second = forged.commit("k", 2);
    forged.fail(failing, 1).start(second).start(failing, 2).done(second);
    forged.note(Receipt.Kind.DONE, failing, 2);
    assertKept();
  }

  @Test
  void findsThereThatAMessageWasPassedThatHadNotFailed() {
    forged.at(Receiver.SEARCH);
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.deliver(second).deliver(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  // --- destinations

  @Test
  void aDestinationThatIsDownCostsNoAttempt() {
    forged.at(Receiver.GATEWAY);
    UUID id = forged.commit("k", 1);
    forged.start(id, 1).note(Receipt.Kind.REFUSED, id, 1);
    forged.start(id, 1).note(Receipt.Kind.DONE, id, 1);
    assertKept();
  }

  @Test
  void findsAnAttemptThatWasCountedThoughTheDestinationWasDown() {
    forged.at(Receiver.GATEWAY);
    UUID id = forged.commit("k", 1);
    forged.start(id, 1).note(Receipt.Kind.REFUSED, id, 1);
    forged.start(id, 2).note(Receipt.Kind.DONE, id, 2);
    assertOnly(Violation.Kind.FALSE_ATTEMPT);
  }

  @Test
  void findsAnAttemptThatWasCountedThoughTheProcessDied() {
    UUID id = forged.commit("k", 1);
    forged.start(id).fault(Fault.Kind.KILL, "a#1").owner("b#1", 2);
    forged.start(id, 2).note(Receipt.Kind.DONE, id, 2);
    assertOnly(Violation.Kind.FALSE_ATTEMPT);
  }

  // --- with blocked lanes

  private UUID deadLetterOfTheFirst() {
    UUID first = forged.at(Receiver.GATEWAY).commit("k", 1, Nature.POISON);
    forged.fail(first, 1).fail(first, 2).fail(first, 3).die(first);
    return first;
  }

  @Test
  void findsThatABlockedLaneWentOn() {
    deadLetterOfTheFirst();
    forged.deliver(forged.commit("k", 2));
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void aLaneGoesOnWhenItWasUnblocked() {
    deadLetterOfTheFirst();
    UUID next = forged.commit("k", 2);
    forged.operate(Kind.UNBLOCK, Target.lane(Receiver.GATEWAY.label(), "k")).deliver(next);
    assertKept();
  }

  @Test
  void findsThatALaneWentOnWhichWasUnblockedBeforeOnly() {
    forged.operate(Kind.UNBLOCK, Target.lane(Receiver.GATEWAY.label(), "k"));
    deadLetterOfTheFirst();
    forged.deliver(forged.commit("k", 2));
    assertOnly(Violation.Kind.DISORDER);
  }
}
