/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.test.InMemoryTransactions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdempotencyKeyTest {
  private final Scene scene = new Scene(4);
  private final List<Delivery> got = new ArrayList<>();
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();

  @AfterEach
  void stop() {
    scene.close();
  }

  private static Message message(String idempotencyKey) {
    return Message.of("t").key("k").idempotencyKey(idempotencyKey).build();
  }

  private Outbox.Receipt publishOnce(String idempotencyKey) {
    List<Outbox.Receipt> receipts = new ArrayList<>();
    scene
        .transactions()
        .run(() -> receipts.add(publisher.outbox().publishOnce(message(idempotencyKey))));
    return receipts.get(0);
  }

  private SteppedRelay relay() {
    return scene.relay(
        "a",
        builder ->
            builder.handler("h", "t", String.class, (payload, delivery) -> got.add(delivery)));
  }

  @Test
  void theSecondCallSaysThatTheMessageWasPublishedBefore() {
    Outbox.Receipt first = publishOnce("payment-1");
    Outbox.Receipt second = publishOnce("payment-1");
    Outbox.Receipt other = publishOnce("payment-2");

    assertThat(first.alreadyPublished()).isFalse();
    assertThat(second).isEqualTo(new Outbox.Receipt(first.id(), true));
    assertThat(other.alreadyPublished()).isFalse();
    relay().drain();
    assertThat(got).extracting(Delivery::messageId).containsExactly(first.id(), other.id());
  }

  @Test
  void publishAnswersWithTheIdOfTheEarlierMessage() {
    UUID first = scene.publish(publisher, message("payment-1")).get(0);

    assertThat(scene.publish(publisher, message("payment-1"))).containsExactly(first);
    assertThat(scene.rows().ready()).hasSize(1);
  }

  @Test
  void aHandlerSeesTheKey() {
    publishOnce("payment-1");
    scene.publish(publisher, Message.of("t").key("k").build());
    relay().drain();

    assertThat(got).extracting(Delivery::idempotencyKey).containsExactly("payment-1", null);
    assertThat(got.get(0).headers()).containsEntry("posthorn-idempotency-key", "payment-1");
  }

  @Test
  void repetitionsInOneCallAreReplacedByTheFirstInTheOrderGiven() {
    UUID before = publishOnce("b").id();
    Message plain = Message.of("t").build();

    List<UUID> ids =
        scene.publish(
            publisher, message("z"), message("b"), plain, message("a"), message("z"), plain);

    assertThat(ids).hasSize(6);
    assertThat(ids.get(1)).isEqualTo(before);
    assertThat(ids.get(4)).isEqualTo(ids.get(0));
    assertThat(List.of(ids.get(0), before, ids.get(2), ids.get(3), ids.get(5)))
        .doesNotHaveDuplicates();
    assertThat(scene.rows().ready()).as("b once, then z, two plain ones and a").hasSize(5);
  }

  /** Or two transactions that take the same keys could wait for each other. */
  @Test
  void keysOfOneCallAreTakenInTheOrderOfTheirNames() {
    List<Object> claimed = new ArrayList<>();
    MessageStore watched =
        (MessageStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("claim")) {
                    claimed.add(arguments[1]);
                  }
                  return method.invoke(scene.store(), arguments);
                });
    Posthorn watching = Posthorn.publishOnly(watched, scene.transactions()).build();

    scene.publish(watching, message("c"), message("a"), message("b"), message("a"));

    assertThat(claimed).containsExactly("a", "b", "c");
  }

  /** On databases on which a failed statement leaves the transaction as it was. */
  private Outbox refusing(String refused) {
    MessageStore store =
        (MessageStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("claim") && arguments[1].equals(refused)) {
                    throw StoreException.unavailable("a lock was waited for too long", null);
                  }
                  return method.invoke(scene.store(), arguments);
                });
    return Posthorn.publishOnly(store, scene.transactions()).build().outbox();
  }

  @Test
  void keysOfACallThatFailedAreNotCommittedWithoutTheirMessages() {
    Outbox outbox = refusing("b");
    List<Message> call = List.of(message("a"), message("b"));
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      assertThatThrownBy(() -> outbox.publishAll(call)).hasMessageContaining("too long");
      assertThatThrownBy(open::commit)
          .isInstanceOf(PublishException.class)
          .hasMessageContaining("the transaction must roll back: a lock was waited for too long");
    }

    assertThat(publishOnce("a").alreadyPublished()).isFalse();
    assertThat(scene.rows().ready()).hasSize(1);
  }

  @Test
  void afterACallThatFailedItIsEnoughToRollBackToASavepoint() {
    Outbox outbox = refusing("b");
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      outbox.publish(message("before"));
      Object savepoint = open.savepoint();
      assertThatThrownBy(() -> outbox.publishAll(List.of(message("a"), message("b"))))
          .hasMessageContaining("too long");
      open.rollbackTo(savepoint);
      assertThat(outbox.publishOnce(message("a")).alreadyPublished()).isFalse();
      open.commit();
    }

    assertThat(scene.rows().ready()).hasSize(2);
  }

  @Test
  void aRollBackFreesTheKeyAlsoOneToASavepoint() {
    List<Outbox.Receipt> receipts = new ArrayList<>();
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      publisher.outbox().publishOnce(message("payment-1"));
      open.rollback();
    }
    try (InMemoryTransactions.Open open = scene.transactions().begin()) {
      Object savepoint = open.savepoint();
      publisher.outbox().publishOnce(message("payment-1"));
      open.rollbackTo(savepoint);
      receipts.add(publisher.outbox().publishOnce(message("payment-1")));
      receipts.add(publisher.outbox().publishOnce(message("payment-1")));
      open.commit();
    }

    assertThat(receipts).extracting(Outbox.Receipt::alreadyPublished).containsExactly(false, true);
    assertThat(scene.rows().ready()).hasSize(1);
  }

  @Test
  void aKeyIsFreeAgainAfterItsRetention() {
    Posthorn forgetful =
        Posthorn.publishOnly(scene.store(), scene.transactions())
            .publish(p -> p.idempotencyRetention(Duration.ofHours(1)))
            .build();
    UUID first = scene.publish(forgetful, message("payment-1")).get(0);
    scene.clock().advance(Duration.ofHours(1));
    assertThat(scene.publish(forgetful, message("payment-1"))).containsExactly(first);

    scene.clock().advance(Duration.ofMillis(1));

    assertThat(scene.publish(forgetful, message("payment-1"))).doesNotContain(first);
    assertThat(scene.rows().ready()).hasSize(2);
  }

  @Test
  void aKeyIsTakenForSevenDaysByDefault() {
    UUID first = publishOnce("payment-1").id();
    scene.clock().advance(Duration.ofDays(7));
    assertThat(publishOnce("payment-1").id()).isEqualTo(first);

    scene.clock().advance(Duration.ofMillis(1));

    assertThat(publishOnce("payment-1").alreadyPublished()).isFalse();
  }

  @Test
  void aDelayedMessageCanHaveAKeyToo() {
    SteppedRelay relay = relay();
    Message delayed = message("payment-1").toBuilder().deliverAfter(Duration.ofSeconds(5)).build();
    UUID first = relay.publish(delayed).get(0);

    assertThat(relay.publish(delayed)).containsExactly(first);
    relay.pass(Duration.ofSeconds(6));

    assertThat(got).extracting(Delivery::idempotencyKey).containsExactly("payment-1");
  }

  @Test
  void publishOnceNeedsAKey() {
    scene
        .transactions()
        .run(
            () ->
                assertThatThrownBy(() -> publisher.outbox().publishOnce(Message.of("t").build()))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("\"t\" not published")
                    .hasMessageContaining("set one, or use publish"));

    assertThat(scene.rows().ready()).isEmpty();
  }

  @Test
  void aMessageThatIsRefusedTakesNoKey() {
    Message refused = message("payment-1").toBuilder().tenant("\0").build();
    scene
        .transactions()
        .run(
            () ->
                assertThatThrownBy(
                        () -> publisher.outbox().publishAll(List.of(message("payment-1"), refused)))
                    .isInstanceOf(PublishException.class));

    assertThat(publishOnce("payment-1").alreadyPublished()).isFalse();
  }
}
