/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.DeferReason;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayedMessageTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Scene scene = new Scene(4);
  private final List<String> got = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay() {
    return scene.relay(
        "a",
        builder ->
            builder
                .relay(r -> r.unknownTypeGrace(Duration.ZERO))
                .publish(p -> p.bufferMessages(3).acceptUnhandledTypes(true))
                .handler("mailer", "t", String.class, (payload, delivery) -> got.add(payload)));
  }

  private static Message.Builder message(String key, String payload) {
    return Message.of("t").key(key).payload(payload);
  }

  private static Message after(Duration delay, String key, String payload) {
    return message(key, payload).deliverAfter(delay).build();
  }

  @Test
  void aMessageIsDeliveredWhenItsDelayHasPassedAndNotBefore() {
    SteppedRelay relay = relay();
    UUID id = relay.publish(after(MINUTE, "k", "later")).get(0);
    relay.pass(MINUTE.minusMillis(1));
    relay.log().assertNothingDelivered();

    relay.pass(Duration.ofSeconds(1));

    relay.log().assertDeliveredExactly("mailer", List.of(id));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMessageIsDeliveredAtTheTimeGiven() {
    SteppedRelay relay = relay();
    relay.publish(
        message("k", "then").deliverAt(scene.clock().instant().plus(MINUTE)).build(),
        message("k", "passed").deliverAt(scene.clock().instant().minus(MINUTE)).build());
    relay.pass(MINUTE.minusMillis(1));
    assertThat(got).containsExactly("passed");

    relay.pass(Duration.ofSeconds(1));

    assertThat(got).containsExactly("passed", "then");
  }

  @Test
  void aDelayedMessageHoldsNobodyUp() {
    SteppedRelay relay = relay();

    relay.publish(after(MINUTE, "k", "later"), message("k", "now").build());
    relay.drain();

    assertThat(got).containsExactly("now");
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly(DeferReason.DELAYED.name());
    assertThat(relay.posthorn().relay().status().blockedLanes()).isZero();
  }

  @Test
  void messagesThatBecameDueTogetherArriveInTheOrderOfTheirTimes() {
    Posthorn publisher = promotedElsewhere();
    scene.publish(
        publisher,
        after(Duration.ofSeconds(3), "k", "third"),
        after(Duration.ofSeconds(1), "k", "first"),
        after(Duration.ofSeconds(2), "k", "second"),
        after(Duration.ofSeconds(2), "k", "second, published later"));
    scene.clock().advance(MINUTE);

    relay().drain();

    assertThat(got).containsExactly("first", "second", "second, published later", "third");
  }

  private Posthorn promotedElsewhere() {
    return Posthorn.publishOnly(scene.store(), scene.transactions())
        .clock(scene.clock())
        .publish(p -> p.promotedElsewhere(true))
        .build();
  }

  @Test
  void aDelayedMessageThatExpiresBeforeItIsDueIsNotDeliveredAndCounted() {
    SteppedRelay relay = relay();
    UUID id =
        relay
            .publish(
                message("k", "late")
                    .deliverAfter(MINUTE)
                    .expiresAt(scene.clock().instant().plusSeconds(30))
                    .build())
            .get(0);
    relay.pass(MINUTE.plusSeconds(1));

    relay.log().assertNothingDelivered();
    assertThat(relay.log().expired())
        .extracting(expired -> expired.envelope().id())
        .containsExactly(id);
    assertThat(relay.posthorn().relay().status().counts().expired()).isEqualTo(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  /** It becomes ready whoever handles it; what follows is the same as for other messages. */
  @Test
  void aDelayedMessageOfAnUnknownTypeIsNotLookedAtBeforeItIsReady() {
    SteppedRelay relay = relay();
    relay.publish(Message.of("unknown").key("k").deliverAfter(MINUTE).build());
    relay.pass(MINUTE.minusSeconds(1));
    assertThat(scene.rows().dead()).isEmpty();

    scene.clock().advance(Duration.ofSeconds(2));
    relay.steps().step("read");
    relay.steps().step("settle");

    assertThat(scene.rows().ready()).extracting(StoredRows.Ready::type).containsExactly("unknown");
  }

  @Test
  void aRollBackTakesDelayedMessagesBackAlsoToASavepointAndBeyondTheBuffer() {
    SteppedRelay relay = relay();
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      publish(relay, after(MINUTE, "k", "kept 1"));
      Object savepoint = open.savepoint();
      for (int i = 0; i < 7; i++) { // more than the buffer takes
        publish(relay, after(MINUTE, "k", "taken back"));
        publish(relay, message("k", "taken back").build());
      }
      open.rollbackTo(savepoint);
      publish(relay, message("k", "kept 2").build());
      open.commit();
    }
    try (InMemoryTransactions.Open rolledBack = scene.transactions().begin()) {
      publish(relay, after(MINUTE, "k", "rolled back"));
      rolledBack.rollback();
    }
    relay.pass(MINUTE.plusSeconds(1));

    assertThat(got).containsExactly("kept 2", "kept 1");
  }

  private static void publish(SteppedRelay relay, Message message) {
    relay.posthorn().outbox().publish(message);
  }

  @Test
  void aFailedDelayedMessageIsRetriedAsAnyOther() {
    List<Delivery> tries = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      tries.add(delivery);
                      if (delivery.attempt() == 1) {
                        throw new IllegalStateException("no");
                      }
                    }));
    relay.publish(after(MINUTE, "k", "later"));

    relay.pass(MINUTE.plusSeconds(5));

    assertThat(tries).extracting(Delivery::attempt).containsExactly(1, 2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
