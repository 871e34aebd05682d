/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.history.Receiver;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a database may forget when a standby that lags takes its place, and what it may not. */
class LostCommitsCheckerTest {
  private final ForgedHistory forged = new ForgedHistory();

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts().keySet()).containsExactly(kind);
  }

  @Test
  void findsACommitThatIsGoneWithoutReason() {
    forged.forget("k");
    assertOnly(Violation.Kind.BROKEN_HARNESS);
  }

  @Test
  void findsACommitThatIsGoneAlthoughTheStandbyHadIt() {
    forged.forget("k");
    forged.fault(Fault.Kind.PROMOTION, null);
    assertOnly(Violation.Kind.BROKEN_HARNESS);
  }

  @Test
  void findsACommitThatIsGoneLongBeforeTheLoss() {
    forged.forget("k");
    forged.pass(60_000).fault(Fault.Kind.LAGGING_PROMOTION, null);
    assertOnly(Violation.Kind.BROKEN_HARNESS);
  }

  @Test
  void acceptsAMessageThatIsLostWithItsBusinessRow() {
    UUID lost = forged.forget("k");
    UUID kept = forged.commit("k", 1);
    forged.deliver(lost).deliver(kept);
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void acceptsAMessageThatAPrimaryShowedWhenItDiedAndConfirmedToNobody() {
    UUID unconfirmed = forged.forget("k", false);
    forged.deliver(unconfirmed).fault(Fault.Kind.PROMOTION, null);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void findsAnUnconfirmedMessageThatIsDeliveredWithoutAFailover() {
    UUID unconfirmed = forged.forget("k", false);
    forged.deliver(unconfirmed).fault(Fault.Kind.KILL, null);
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsAnUnconfirmedMessageThatIsDeliveredLongAfterTheFailover() {
    UUID unconfirmed = forged.forget("k", false);
    forged.fault(Fault.Kind.PROMOTION, null).pass(60_000).deliver(unconfirmed);
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsAMessageThatOutlivedItsBusinessRow() {
    UUID lost = forged.forget("k");
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null).pass(60_000).deliver(lost);
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsADeadLetterThatOutlivedItsBusinessRow() {
    UUID lost = forged.forget("k");
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null).die(lost);
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsALossWhereTheBusinessRowIsThere() {
    forged.commit("k", 1);
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void acceptsEpochsThatAreDrawnAgain() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.owner("a#1", 7).deliver(first);
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null).pass(60_000);
    forged.owner("b#1", 6).deliver(first).deliver(second);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void acceptsAnEffectThatWasLostAndComesAgainBehindALaterOne() {
    forged.at(Receiver.LEDGER);
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.deliver(first).fault(Fault.Kind.LAGGING_PROMOTION, null);
    forged.deliver(second).effect(second).deliver(first).effect(first);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void findsEffectsInDisorderThatWereNotLost() {
    forged.at(Receiver.LEDGER);
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null).pass(60_000);
    forged.deliver(first).deliver(second).effect(second).effect(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsDisorderAfterTheLoss() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.fault(Fault.Kind.LAGGING_PROMOTION, null).pass(60_000);
    forged.deliver(second).deliver(first);
    assertOnly(Violation.Kind.DISORDER);
  }
}
