/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AuditTest {
  private static final String KILLED = "relay-2";

  private final List<Published> committed = new ArrayList<>();
  private final List<Receipt> receipts = new ArrayList<>();

  @Test
  void everythingDeliveredOnceInOrderIsGood() {
    deliverAll(publish("ada", 1), "relay-1", 1);
    deliverAll(publish("ada", 2), "relay-1", 1);
    deliverAll(publish(null, 0), KILLED, 2);

    Verdict verdict = judge(Map.of());

    assertThat(verdict).isEqualTo(new Verdict(3, 3, 0, 0, 0, 0, 0, 0));
    assertThat(verdict.good()).isTrue();
    assertThat(verdict.line())
        .isEqualTo(
            "published 3, delivered 3, lost 0, duplicated 0, out of order 0, dead letters 0");
  }

  @Test
  void messageThatOneHandlerNeverGotIsLost() {
    deliver(publish("ada", 1), DemoHandlers.LEDGER, "relay-1", 1);

    Verdict verdict = judge(Map.of());

    assertThat(verdict).isEqualTo(new Verdict(1, 0, 1, 0, 0, 0, 0, 0));
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void deadLetterOfTheHandlerThatMissesItIsNotLost() {
    Published poisoned = publish("ada", 1);
    deliver(poisoned, DemoHandlers.LEDGER, "relay-1", 1);
    deliverAll(publish("ada", 2), "relay-1", 1);

    Verdict verdict = judge(Map.of(DemoHandlers.MAILER, Set.of(poisoned.id())));

    assertThat(verdict).isEqualTo(new Verdict(2, 1, 0, 0, 0, 1, 0, 0));
    assertThat(verdict.good()).isTrue();
  }

  @Test
  void deadLetterOfAnotherHandlerDoesNotHideALoss() {
    Published message = publish("ada", 1);
    deliver(message, DemoHandlers.MAILER, "relay-1", 1);

    Verdict verdict = judge(Map.of(DemoHandlers.MAILER, Set.of(message.id())));

    assertThat(verdict.lost()).isEqualTo(1);
    assertThat(verdict.duplicated()).as("delivered and dead").isEqualTo(1);
  }

  @Test
  void secondDeliveryAfterTheKilledRelayIsExplained() {
    Published message = publish("ada", 1);
    deliverAll(message, KILLED, 2);
    deliver(message, DemoHandlers.MAILER, "relay-1", 3);

    Verdict verdict = judge(Map.of());

    assertThat(verdict).isEqualTo(new Verdict(1, 1, 0, 0, 0, 0, 1, 0));
    assertThat(verdict.good()).isTrue();
  }

  @Test
  void secondDeliveryAfterALivingRelayIsADuplicate() {
    Published message = publish("ada", 1);
    deliverAll(message, "relay-1", 1);
    deliver(message, DemoHandlers.MAILER, KILLED, 2);

    Verdict verdict = judge(Map.of());

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

    Verdict verdict = judge(Map.of());

    assertThat(verdict.explainedDuplicates()).isEqualTo(1);
    assertThat(verdict.duplicated()).isEqualTo(2);
  }

  @Test
  void laterMessageOfAKeyBeforeAnEarlierOneIsOutOfOrder() {
    Published first = publish("ada", 1);
    Published second = publish("ada", 2);
    deliverAll(second, "relay-1", 1);
    deliverAll(first, "relay-1", 1);

    Verdict verdict = judge(Map.of());

    assertThat(verdict.outOfOrder()).as("at both handlers").isEqualTo(2);
    assertThat(verdict.good()).isFalse();
  }

  @Test
  void epochsTellWhichRelayWasFirst() {
    Published first = publish("ada", 1);
    Published second = publish("ada", 2);
    deliverAll(second, "relay-1", 3);
    deliverAll(first, KILLED, 2);

    assertThat(judge(Map.of()).outOfOrder()).isZero();
  }

  @Test
  void messagesWithoutAKeyHaveNoOrder() {
    Published first = publish(null, 2);
    Published second = publish(null, 1);
    deliverAll(first, "relay-1", 1);
    deliverAll(second, "relay-1", 1);

    assertThat(judge(Map.of()).good()).isTrue();
  }

  @Test
  void deliveryOfAMessageThatWasRolledBackIsAPhantom() {
    deliver(new Published(UUID.randomUUID(), "ada", 1), DemoHandlers.LEDGER, "relay-1", 1);

    Verdict verdict = judge(Map.of());

    assertThat(verdict).isEqualTo(new Verdict(0, 0, 0, 0, 0, 0, 0, 1));
    assertThat(verdict.good()).isFalse();
  }

  private Published publish(String key, long number) {
    Published message = new Published(UUID.randomUUID(), key, number);
    committed.add(message);
    return message;
  }

  private void deliverAll(Published message, String relay, long epoch) {
    deliver(message, DemoHandlers.MAILER, relay, epoch);
    deliver(message, DemoHandlers.LEDGER, relay, epoch);
  }

  private void deliver(Published message, String handler, String relay, long epoch) {
    receipts.add(
        new Receipt(Receipt.Kind.DELIVERED, relay, handler, epoch, message.number(), message.id()));
  }

  private Verdict judge(Map<String, Set<UUID>> dead) {
    return new Audit(DemoHandlers.NAMES, KILLED, committed, dead).judge(receipts);
  }
}
