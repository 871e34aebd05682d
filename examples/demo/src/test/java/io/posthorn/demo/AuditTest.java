/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static io.posthorn.demo.Verdict.DeadLetters.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AuditTest {
  private static final String KILLED = "relay-2";

  private final List<Published> committed = new ArrayList<>();
  private final List<Receipt> receipts = new ArrayList<>();
  private final List<Receipt> receiptsAfterRetry = new ArrayList<>();

  @Test
  void everythingDeliveredOnceInOrderIsGood() {
    deliverAll(publish("ada", 1), "relay-1", 1);
    deliverAll(publish("ada", 2), "relay-1", 1);
    deliverAll(publish(null, 0), KILLED, 2);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict).isEqualTo(new Verdict(3, 3, 0, 0, 0, NONE, 0, 0));
    assertThat(verdict.good()).isTrue();
    assertThat(verdict.line())
        .isEqualTo(
            "published 3, delivered 3, lost 0, duplicated 0, out of order 0,"
                + " dead letters 0 (retried and delivered 0, left 0)");
  }

  @Test
  void messageThatOneHandlerNeverGotIsLost() {
    deliver(publish("ada", 1), DemoHandlers.LEDGER, "relay-1", 1);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict).isEqualTo(new Verdict(1, 0, 1, 0, 0, NONE, 0, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void deadLetterThatIsLeftIsNotLostButNotGoodEither() {
    Published poisoned = poison("ada", 1);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAll(publish("ada", 2), "relay-1", 1);

    Verdict verdict = judge(left(poisoned));

    assertThat(verdict)
        .isEqualTo(new Verdict(2, 1, 0, 0, 0, new Verdict.DeadLetters(1, 0, 0, 1), 0, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void retriedDeadLetterIsDeliveredAfterLaterOnesOfItsKey() {
    Published poisoned = poison("ada", 1);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAll(publish("ada", 2), "relay-1", 1);
    deliverAfterRetry(poisoned, DemoHandlers.MAILER);

    Verdict verdict = judge(retried(poisoned));

    assertThat(verdict)
        .isEqualTo(new Verdict(2, 2, 0, 0, 0, new Verdict.DeadLetters(1, 0, 1, 0), 0, 0));
    assertThat(verdict.good()).isTrue();
    assertThat(verdict.line()).endsWith("dead letters 1 (retried and delivered 1, left 0)");
  }

  @Test
  void retriedDeadLettersOfAKeyKeepTheirOrder() {
    Published first = poison("ada", 1);
    Published second = poison("ada", 2);
    deliver(first, DemoHandlers.LEDGER, "relay-1", 1);
    deliver(second, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAfterRetry(second, DemoHandlers.MAILER);
    deliverAfterRetry(first, DemoHandlers.MAILER);

    Verdict verdict = judge(retried(first, second));

    assertThat(verdict.outOfOrder()).isEqualTo(1);
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void retryExcusesNoOtherMessageFromTheOrder() {
    Published poisoned = poison("ada", 1);
    Published late = publish("ada", 2);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAll(publish("ada", 3), "relay-1", 1);
    deliverAfterRetry(poisoned, DemoHandlers.MAILER);
    deliverAfterRetry(late, DemoHandlers.MAILER);
    deliverAfterRetry(late, DemoHandlers.LEDGER);

    assertThat(judge(retried(poisoned)).outOfOrder()).as("at both handlers").isEqualTo(2);
  }

  @Test
  void retriedDeadLetterThatNobodyDeliversIsLost() {
    Published poisoned = poison("ada", 1);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);

    Verdict verdict = judge(retried(poisoned));

    assertThat(verdict)
        .isEqualTo(new Verdict(1, 0, 1, 0, 0, new Verdict.DeadLetters(1, 0, 0, 0), 0, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void deliveryBeforeItDiedDoesNotStandForTheOneAfterTheRetry() {
    Published poisoned = poison("ada", 1);
    deliverAll(poisoned, "relay-1", 1);

    assertThat(judge(retried(poisoned)).lost()).isEqualTo(1);
  }

  @Test
  void retriedDeadLetterThatComesTwiceIsADuplicate() {
    Published poisoned = poison("ada", 1);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAfterRetry(poisoned, DemoHandlers.MAILER);
    deliverAfterRetry(poisoned, DemoHandlers.MAILER);

    Verdict verdict = judge(retried(poisoned));

    assertThat(verdict.duplicated()).isEqualTo(1);
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void deadLetterOfAMessageThatIsNotPoisonedIsUnexpected() {
    Published message = publish("ada", 1);
    deliver(message, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAfterRetry(message, DemoHandlers.MAILER);

    Verdict verdict = judge(retried(message));

    assertThat(verdict.deadLetters()).isEqualTo(new Verdict.DeadLetters(1, 1, 1, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void poisonedMessageThatNeverDiedIsUnexpected() {
    deliverAll(poison("ada", 1), "relay-1", 1);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict.deadLetters()).isEqualTo(new Verdict.DeadLetters(0, 1, 0, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void deadLetterOfAnotherHandlerDoesNotHideALoss() {
    Published message = poison("ada", 1);
    deliver(message, DemoHandlers.MAILER, "relay-1", 1);

    Verdict verdict = judge(left(message));

    assertThat(verdict.lost()).isEqualTo(1);
    assertThat(verdict.duplicated()).as("delivered and dead").isEqualTo(1);
  }

  @Test
  void secondDeliveryAfterTheKilledRelayIsExplained() {
    Published message = publish("ada", 1);
    deliverAll(message, KILLED, 2);
    deliver(message, DemoHandlers.MAILER, "relay-1", 3);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict).isEqualTo(new Verdict(1, 1, 0, 0, 0, NONE, 1, 0));
    assertThat(verdict.good()).isTrue();
  }

  @Test
  void secondDeliveryAfterALivingRelayIsADuplicate() {
    Published message = publish("ada", 1);
    deliverAll(message, "relay-1", 1);
    deliver(message, DemoHandlers.MAILER, KILLED, 2);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict.duplicated()).isEqualTo(1);
    assertThat(verdict.explainedDuplicates()).isZero();
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void killedRelayExplainsOneSecondDeliveryOnly() {
    Published message = publish("ada", 1);
    deliverAll(message, KILLED, 2);
    deliver(message, DemoHandlers.MAILER, "relay-1", 3);
    deliver(message, DemoHandlers.MAILER, "relay-3", 4);
    deliver(message, DemoHandlers.LEDGER, KILLED, 2);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict.explainedDuplicates()).isEqualTo(1);
    assertThat(verdict.duplicated()).isEqualTo(2);
  }

  @Test
  void laterMessageOfAKeyBeforeAnEarlierOneIsOutOfOrder() {
    Published first = publish("ada", 1);
    Published second = publish("ada", 2);
    deliverAll(second, "relay-1", 1);
    deliverAll(first, "relay-1", 1);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict.outOfOrder()).as("at both handlers").isEqualTo(2);
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void epochsTellWhichRelayWasFirst() {
    Published first = publish("ada", 1);
    Published second = publish("ada", 2);
    deliverAll(second, "relay-1", 3);
    deliverAll(first, KILLED, 2);

    assertThat(judge(Audit.Dead.NONE).outOfOrder()).isZero();
  }

  @Test
  void messagesWithoutAKeyHaveNoOrder() {
    Published first = publish(null, 2);
    Published second = publish(null, 1);
    deliverAll(first, "relay-1", 1);
    deliverAll(second, "relay-1", 1);

    assertThat(judge(Audit.Dead.NONE).good()).isTrue();
  }

  @Test
  void deliveryOfAMessageThatWasRolledBackIsAPhantom() {
    deliver(new Published(UUID.randomUUID(), "ada", 1, false), DemoHandlers.LEDGER, "relay-1", 1);

    Verdict verdict = judge(Audit.Dead.NONE);

    assertThat(verdict).isEqualTo(new Verdict(0, 0, 0, 0, 0, NONE, 0, 1));
    assertThat(verdict.good()).isFalse();
  }

  private Published publish(String key, long number) {
    return publish(key, number, false);
  }

  private Published poison(String key, long number) {
    return publish(key, number, true);
  }

  private Published publish(String key, long number, boolean poisoned) {
    Published message = new Published(UUID.randomUUID(), key, number, poisoned);
    committed.add(message);
    return message;
  }

  private void deliverAll(Published message, String relay, long epoch) {
    deliver(message, DemoHandlers.MAILER, relay, epoch);
    deliver(message, DemoHandlers.LEDGER, relay, epoch);
  }

  private void deliver(Published message, String handler, String relay, long epoch) {
    receipts.add(receipt(message, handler, relay, epoch));
  }

  private void deliverAfterRetry(Published message, String handler) {
    receiptsAfterRetry.add(receipt(message, handler, "relay-1", 1));
  }

  private static Receipt receipt(Published message, String handler, String relay, long epoch) {
    return new Receipt(
        Receipt.Kind.DELIVERED, relay, handler, epoch, message.number(), message.id());
  }

  private static Audit.Dead left(Published message) {
    return new Audit.Dead(Map.of(), Map.of(DemoHandlers.MAILER, Set.of(message.id())));
  }

  private static Audit.Dead retried(Published... messages) {
    Set<UUID> ids = Stream.of(messages).map(Published::id).collect(Collectors.toSet());
    return new Audit.Dead(Map.of(DemoHandlers.MAILER, ids), Map.of());
  }

  private Verdict judge(Audit.Dead dead) {
    return new Audit(DemoHandlers.NAMES, KILLED, committed, dead)
        .judge(receipts, receiptsAfterRetry);
  }
}
