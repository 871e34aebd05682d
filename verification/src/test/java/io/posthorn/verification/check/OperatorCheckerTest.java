/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Intervention.Target;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent.Timing;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What operators may bring about, and what not even they explain. */
class OperatorCheckerTest {
  private final ForgedHistory forged = new ForgedHistory();

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts()).isEqualTo(Map.of(kind, 1L));
  }

  private void assertKept() {
    assertThat(forged.judge().counts()).isEmpty();
  }

  @Test
  void aCancelledMessageMayBeMissing() {
    UUID id = forged.commit("k", 1);
    UUID next = forged.commit("k", 2);
    forged.operate(Kind.CANCEL, id).deliver(next);
    assertKept();
  }

  @Test
  void findsThatAnotherOneIsMissing() {
    UUID id = forged.commit("k", 1);
    forged.commit("k", 2);
    forged.operate(Kind.CANCEL, id);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsThatAMessageIsMissingWhichCameAfterItsLaneWasCancelled() {
    forged.operate(Kind.CANCEL, Target.lane(Receiver.BILL.label(), "k")).commit("k", 1);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsThatItIsMissingWhereItWasCancelledForAnotherHandler() {
    UUID id = forged.commit("k", 1);
    forged.operate(Kind.CANCEL, Target.message(Receiver.SHIP.label(), id));
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void aDelayedMessageMayBeCancelledForAllHandlers() {
    UUID id = forged.commit("k", 0, Timing.notBefore(forged.now() + 1_000));
    forged.operate(Kind.CANCEL, Target.message(Target.ANY, id));
    assertKept();
  }

  @Test
  void aDeadLetterMayBeMissingWhenItWasDeleted() {
    UUID id = forged.commit("k", 1, Nature.POISON);
    forged.fail(id, 1).fail(id, 2).fail(id, 3).operate(Kind.DELETE, id);
    assertKept();
  }

  @Test
  void findsThatADeadLetterIsMissingWhichWasOnlyRetried() {
    UUID id = forged.commit("k", 1, Nature.POISON);
    forged.fail(id, 1).fail(id, 2).fail(id, 3).operate(Kind.RETRY, id);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void aDeadLetterMayBeDeliveredWhenItsHeadersWereMended() {
    UUID id = forged.commit("k", 1, Nature.POISON);
    UUID next = forged.commit("k", 2);
    forged
        .fail(id, 1)
        .fail(id, 2)
        .fail(id, 3)
        .deliver(next)
        .operate(Kind.EDIT, id)
        .operate(Kind.RETRY, id)
        .deliver(id);
    assertKept();
  }

  @Test
  void aSkippedMessageMayBeADeadLetter() {
    UUID id = forged.commit("k", 1);
    UUID next = forged.commit("k", 2);
    forged.fail(id, 1).operate(Kind.SKIP, Target.lane(Receiver.BILL.label(), "k")).die(id);
    forged.deliver(next);
    assertKept();
  }

  @Test
  void findsADeadLetterOfALaneWhereNothingWasSkipped() {
    UUID id = forged.commit("k", 1);
    forged.fail(id, 1).operate(Kind.SKIP, Target.lane(Receiver.BILL.label(), "other")).die(id);
    assertOnly(Violation.Kind.WRONG_DEAD_LETTER);
  }

  @Test
  void aReplayedMessageMayComeTwiceAndHaveTwoEffects() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    UUID next = forged.commit("k", 2);
    forged.deliver(id).effect(id).deliver(next).effect(next);
    forged.operate(Kind.REPLAY, id).deliver(id).effect(id);
    assertKept();
  }

  @Test
  void findsMoreEffectsThanReplays() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    forged.deliver(id).effect(id).operate(Kind.REPLAY, id).deliver(id).effect(id).effect(id);
    assertOnly(Violation.Kind.REPEATED_EFFECT);
  }

  @Test
  void findsThatARetryMadeTwoEffects() {
    forged.at(Receiver.LEDGER);
    UUID id = forged.commit("k", 1);
    forged.deliver(id).effect(id).operate(Kind.RETRY, id).deliver(id).effect(id);
    assertOnly(Violation.Kind.REPEATED_EFFECT);
  }

  @Test
  void aDelayedMessageMayComeEarlyWhenItWasRunNow() {
    UUID id = forged.commit("k", 0, Timing.notBefore(forged.now() + 1_000));
    forged.operate(Kind.RUN_NOW, Target.message(Target.ANY, id)).deliver(id);
    assertKept();
  }

  @Test
  void pausesAndBlocksExplainNothing() {
    UUID id = forged.commit("k", 1);
    forged
        .operate(Kind.PAUSE_HANDLER, Target.handler(Receiver.BILL.label()))
        .operate(Kind.PAUSE_RELAY, Target.handler(Target.ANY))
        .operate(Kind.BLOCK, Target.lane(Receiver.BILL.label(), "k"))
        .operate(Kind.UNBLOCK, Target.lane(Receiver.BILL.label(), "k"))
        .operate(Kind.RUN_NOW, id);
    assertOnly(Violation.Kind.LOST);
    forged.deliver(id).pass(10_000).owner("b#1", 2).deliver(id);
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void whoRetriesAllOfAHandlerExplainsWhatWasDead() {
    UUID id = forged.commit("k", 1, Nature.POISON);
    Target all = Target.handler(Receiver.BILL.label());
    forged
        .fail(id, 1)
        .fail(id, 2)
        .fail(id, 3)
        .operate(Kind.EDIT, id)
        .operate(Kind.RETRY, all)
        .deliver(id)
        .operate(Kind.RETRY, all)
        .deliver(id);
    assertKept();
  }

  @Test
  void findsADuplicateAmongThoseThatWereNotDeadWhenAllWereRetried() {
    UUID id = forged.commit("k", 1);
    forged.deliver(id).operate(Kind.RETRY, Target.handler(Receiver.BILL.label())).deliver(id);
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }
}
