/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.history.Nature;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Histories that must pass, and forged ones that must not. */
class CheckerTest {
  private final ForgedHistory forged = new ForgedHistory();

  private void assertOnly(Violation.Kind kind) {
    assertThat(forged.judge().counts()).isEqualTo(Map.of(kind, 1L));
  }

  @Test
  void acceptsWhatWasCommittedAndDeliveredInOrder() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    UUID keyless = forged.commit(null, 0);
    forged.deliver(first).deliver(keyless).deliver(second);

    Verdict verdict = forged.judge();
    assertThat(verdict.kept()).isTrue();
    assertThat(verdict.messages()).isEqualTo(3);
    assertThat(verdict.duplicated()).isZero();
  }

  @Test
  void findsALoss() {
    UUID id = forged.commit("k", 1);
    assertOnly(Violation.Kind.LOST);
    assertThat(forged.judge().violations())
        .singleElement()
        .satisfies(it -> assertThat(it.toString()).contains(id.toString(), "commit asked for"));
  }

  @Test
  void findsALossWhereADeliveryOnlyFailed() {
    UUID id = forged.commit("k", 1);
    forged.fail(id, 1);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsAPhantom() {
    forged.deliver(UUID.randomUUID());
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsADeadLetterOfNobody() {
    forged.die(UUID.randomUUID());
    assertOnly(Violation.Kind.PHANTOM);
  }

  @Test
  void findsDisorder() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.deliver(second).deliver(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsDisorderAcrossOwners() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.owner("b#1", 2).deliver(second).owner("c#1", 3).deliver(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsThatAFailedMessageWasOvertaken() {
    UUID first = forged.commit("k", 1);
    UUID second = forged.commit("k", 2);
    forged.fail(first, 1).deliver(second).deliver(first);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void acceptsWhatComesBehindADeadLetter() {
    UUID poison = forged.commit("k", 1, Nature.POISON);
    UUID second = forged.commit("k", 2);
    forged.fail(poison, 1).fail(poison, 2).fail(poison, 3).die(poison).deliver(second);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void acceptsADeadLetterWhoseLastAttemptEndedWithItsProcess() {
    UUID poison = forged.commit("k", 1, Nature.POISON);
    UUID second = forged.commit("k", 2);
    forged.fail(poison, 1).fail(poison, 2).fault(Fault.Kind.KILL, "a#1").die(poison);
    forged.owner("b#1", 2).deliver(second);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void findsThatADeadLetterWasOvertakenThoughItsProcessWasKilled() {
    UUID poison = forged.commit("k", 1, Nature.POISON);
    UUID second = forged.commit("k", 2);
    forged.fail(poison, 1).fault(Fault.Kind.KILL, "a#1").owner("b#1", 2).deliver(second);
    forged.fail(poison, 2).fail(poison, 3).die(poison);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsWhatCameBeforeTheLastAttemptOfADeadLetter() {
    UUID poison = forged.commit("k", 1, Nature.POISON);
    UUID second = forged.commit("k", 2);
    forged.fail(poison, 1).deliver(second).fail(poison, 2).fail(poison, 3).die(poison);
    assertOnly(Violation.Kind.DISORDER);
  }

  @Test
  void findsTwoOfALaneSideBySide() {
    UUID first = forged.commit("k", 1);
    forged.start(first).start(first).done(first);
    assertOnly(Violation.Kind.SIDE_BY_SIDE);
  }

  @Test
  void acceptsThatANewOwnerStartsWhatADeadOneHadStarted() {
    UUID first = forged.commit("k", 1);
    forged.start(first).fault(Fault.Kind.KILL, "a#1").owner("b#1", 2).deliver(first);
    assertThat(forged.judge().kept()).isTrue();
  }

  @Test
  void findsADuplicateThatNothingExplains() {
    UUID id = forged.commit("k", 1);
    forged.deliver(id).pass(10_000).owner("b#1", 2).deliver(id);
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void aCleanStopExplainsNoDuplicate() {
    UUID id = forged.commit("k", 1);
    forged.deliver(id).fault(Fault.Kind.STOP, "a#1").owner("b#1", 2).deliver(id);
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void aKillExplainsDuplicatesOfThatInstanceOnly() {
    UUID id = forged.commit("k", 1);
    forged.deliver(id).fault(Fault.Kind.KILL, "a#1").owner("b#1", 2).deliver(id);
    Verdict explained = forged.judge();
    assertThat(explained.kept()).isTrue();
    assertThat(explained.duplicated()).isEqualTo(1);

    ForgedHistory other = new ForgedHistory();
    UUID again = other.commit("k", 1);
    other.deliver(again).fault(Fault.Kind.KILL, "c#1").owner("b#1", 2).deliver(again);
    assertThat(other.judge().counts()).containsOnlyKeys(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void aKillOfAnEarlierLifeExplainsNoDuplicate() {
    UUID id = forged.commit("k", 1);
    forged.fault(Fault.Kind.KILL, "a#1").owner("a#2", 2).deliver(id).owner("b#1", 3).deliver(id);
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void aKillLongAfterTheDeliveryExplainsNoDuplicate() {
    UUID id = forged.commit("k", 1);
    forged.deliver(id).pass(60_000);
    forged.owner("b#1", 2).deliver(id).pass(60_000).fault(Fault.Kind.KILL, "a#1");
    assertOnly(Violation.Kind.UNEXPLAINED_DUPLICATE);
  }

  @Test
  void findsMoreDuplicatesThanWereInFlight() {
    UUID[] ids = new UUID[ForgedHistory.WINDOW + 1];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = forged.commit(null, 0);
      forged.deliver(ids[i]);
    }
    forged.fault(Fault.Kind.KILL, "a#1").owner("b#1", 2);
    for (UUID id : ids) {
      forged.deliver(id);
    }
    assertOnly(Violation.Kind.TOO_MANY_DUPLICATES);
  }

  @Test
  void findsDeliveriesOfAnExpelledRelay() {
    UUID first = forged.commit(null, 0);
    UUID second = forged.commit(null, 0);
    forged.owner("b#1", 2).deliver(first).pass(1_000).owner("a#1", 1).deliver(second);
    assertOnly(Violation.Kind.STALE_EPOCH);
  }

  @Test
  void acceptsAsManyOfThemAsAFrozenRelayHasWorkers() {
    UUID taken = forged.commit(null, 0);
    UUID[] late = new UUID[ForgedHistory.WORKERS];
    for (int i = 0; i < late.length; i++) {
      late[i] = forged.commit(null, 0);
    }
    forged.owner("b#1", 2).deliver(taken).pass(1_000).fault(Fault.Kind.FREEZE, "a#1");
    forged.owner("a#1", 1);
    for (UUID id : late) {
      forged.deliver(id);
    }
    assertThat(forged.judge().kept()).isTrue();

    UUID oneMore = forged.commit(null, 0);
    forged.deliver(oneMore);
    assertOnly(Violation.Kind.STALE_EPOCH);
  }

  @Test
  void findsADeadLetterThatShouldHaveBeenDelivered() {
    UUID id = forged.commit("k", 1);
    forged.fail(id, 1).die(id);
    assertOnly(Violation.Kind.WRONG_DEAD_LETTER);
  }

  @Test
  void findsPoisonThatDidNotBecomeADeadLetter() {
    UUID id = forged.commit("k", 1, Nature.POISON);
    forged.fail(id, 1);
    assertOnly(Violation.Kind.LOST);
  }

  @Test
  void findsLeftovers() {
    forged.leave("outbox_message", 3);
    assertOnly(Violation.Kind.LEFTOVER);
  }

  @Test
  void findsRowsChangedByARelayThatDoesNotOwnThem() {
    forged.intrude("(a#1,\"DELETE outbox_message\",3,17,b#1)");
    assertOnly(Violation.Kind.INTRUSION);
  }

  @Test
  void findsAMessageThatHadToWaitTooLong() {
    UUID id = forged.commit("k", 1);
    forged.fault(Fault.Kind.KILL, "a#1").pass(5_100).owner("b#1", 2).deliver(id);
    assertOnly(Violation.Kind.TOO_LATE);
  }

  @Test
  void measuresHowLongMessagesHadToWait() {
    UUID id = forged.commit("k", 1);
    forged.fault(Fault.Kind.KILL, "a#1").pass(4_000).owner("b#1", 2).deliver(id);
    assertThat(forged.judge().stalls().get(Fault.Kind.KILL)).isBetween(4_000L, 4_010L);
  }

  @Test
  void doesNotTakeTheWaitBehindARetriedMessageForAStall() {
    UUID failing = forged.commit("k", 1);
    UUID behind = forged.commit("k", 2);
    forged.fault(Fault.Kind.KILL, "a#1").owner("b#1", 2);
    forged.pass(3_000).fail(failing, 1).pass(3_000).deliver(failing).deliver(behind);
    assertThat(forged.judge().kept()).isTrue();
    assertThat(forged.judge().stalls().get(Fault.Kind.KILL)).isBetween(3_000L, 3_010L);
  }
}
