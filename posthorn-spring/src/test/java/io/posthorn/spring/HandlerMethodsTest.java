/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.test.StoreAssert;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

@SuppressWarnings({
  "UnusedMethod",
  "UnusedVariable",
  "EffectivelyPrivate"
}) // handlers are called by reflection
class HandlerMethodsTest {
  private final HandlerScene scene = new HandlerScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private record Mailer(Notes notes) {
    @OutboxHandler(type = "text")
    void text(String payload) {
      notes.add("text " + payload);
    }

    @OutboxHandler(type = "bytes")
    public void bytes(byte[] payload) {
      notes.add("bytes " + new String(payload, StandardCharsets.UTF_8));
    }

    @OutboxHandler(type = "refund")
    private void object(Refund payload) {
      notes.add("refund " + payload.id());
    }
  }

  @Test
  void severalMethodsOfAPrivateClassTakeTextBytesAndObjects() {
    scene.bean("mailer", Mailer.class).start();

    scene.deliver("text", "1");
    scene.deliver("bytes", "2");
    scene.deliver("refund", "3");

    assertThat(scene.notes()).containsExactly("text 1", "bytes 2", "refund 3");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void theNameIsMadeOfBeanAndMethodUnlessItIsGiven() {
    scene.bean("mailer", Mailer.class).bean("billing", Billing.class).start();

    assertThat(scene.specs())
        .extracting(HandlerSpec::name)
        .containsExactlyInAnyOrder("mailer.text", "mailer.bytes", "mailer.object", "payments");
  }

  private record Billing(Notes notes) {
    @OutboxHandler(name = "payments")
    void bill(Order order, Delivery delivery) {
      notes.add("%s %s of %s".formatted(delivery.handler(), delivery.messageId(), delivery.type()));
    }
  }

  @Test
  void theDeliveryMayBeTheSecondParameter() {
    scene.bean("billing", Billing.class).start();

    UUID id = scene.deliver("order-placed", "1").get(0);

    assertThat(scene.notes()).containsExactly("payments " + id + " of order-placed");
  }

  @Test
  void theTypeMayComeFromTheClassOfThePayload() {
    scene.bean("billing", Billing.class).start();

    scene.deliver(new Order("7"));

    assertThat(scene.spec().types()).containsExactly("order-placed");
    assertThat(scene.notes()).hasSize(1);
  }

  private record Judge(Notes notes) {
    @OutboxHandler(type = "t")
    DeliveryResult judge(String payload) {
      notes.add(payload);
      return payload.equals("bad") ? DeliveryResult.dead("no good") : DeliveryResult.delivered();
    }
  }

  @Test
  void aMethodMayDecide() {
    scene.bean("judge", Judge.class).start();

    scene.deliver("t", "good", "bad");

    assertThat(scene.notes()).containsExactly("good", "bad");
    assertThat(scene.rows().dead()).extracting("error").containsExactly("no good");
    StoreAssert.assertThat(scene.rows()).hasReady(0);
  }

  private record Forgetful() {
    @OutboxHandler(type = "t")
    DeliveryResult judge(String payload) {
      return null;
    }
  }

  @Test
  void aMethodThatDecidesNothingHasFailed() {
    scene.bean("forgetful", Forgetful.class).start();

    scene.deliver("t", "1");

    assertThat(scene.rows().dead().get(0).error()).contains("the handler returned null");
  }

  private record Sender(Notes notes) {
    @OutboxHandler(type = "t", batchSize = 2)
    void send(Batch<Refund> batch) {
      notes.add(batch.items().stream().map(item -> item.payload().id()).toList().toString());
    }
  }

  @Test
  void aMethodMayTakeBatches() {
    scene.bean("sender", Sender.class).start();

    scene.deliver("t", "1", "2", "3");

    assertThat(scene.notes()).containsExactly("[1, 2]", "[3]");
  }

  private record LargeSender() {
    @OutboxHandler(type = "t")
    void send(Batch<? extends String> batch) {}
  }

  @Test
  void aBatchHoldsAHundredUnlessSaidOtherwise() {
    scene.bean("sender", LargeSender.class).start();

    assertThat(scene.spec().batchSize()).isEqualTo(100);
    assertThat(scene.spec().payloadClass()).isEqualTo(String.class);
  }

  private record Settings() {
    @OutboxHandler(
        type = {"a", "b"},
        concurrency = 3,
        transactional = true,
        lanePolicy = LanePolicy.BLOCK,
        timeLimit = "1m30s")
    void on(String payload) {}
  }

  @Test
  void allSettingsReachTheHandler() {
    scene.bean("settings", Settings.class).start();

    HandlerSpec<?> spec = scene.spec();
    assertThat(spec.types()).containsExactlyInAnyOrder("a", "b");
    assertThat(spec.concurrency()).hasValue(3);
    assertThat(spec.isTransactional()).isTrue();
    assertThat(spec.lanePolicy()).isEqualTo(LanePolicy.BLOCK);
    assertThat(spec.timeLimit()).contains(Duration.ofSeconds(90));
  }

  private record Bare() {
    @OutboxHandler(type = "a")
    void on(String payload) {}
  }

  @Test
  void whatIsLeftOutIsTheDefault() {
    scene.bean("bare", Bare.class).start();

    HandlerSpec<?> spec = scene.spec();
    HandlerSpec<String> plain = HandlerSpec.of("x", "a", String.class, (payload, delivery) -> {});
    assertThat(spec.concurrency()).isEqualTo(plain.concurrency());
    assertThat(spec.isTransactional()).isEqualTo(plain.isTransactional());
    assertThat(spec.lanePolicy()).isEqualTo(plain.lanePolicy());
    assertThat(spec.timeLimit()).isEqualTo(plain.timeLimit());
    assertThat(spec.retry()).isEmpty();
    assertThat(spec.fallback()).isEmpty();
  }

  private record Placeholders() {
    @OutboxHandler(type = "${mail.type}", name = "${mail.name:mailer}", timeLimit = "${mail.limit}")
    void on(String payload) {}
  }

  @Test
  void placeholdersAreResolved() {
    scene
        .properties(Map.of("mail.type", "letter", "mail.limit", "PT30S"))
        .bean("placeholders", Placeholders.class)
        .start();

    HandlerSpec<?> spec = scene.spec();
    assertThat(spec.types()).containsExactly("letter");
    assertThat(spec.name()).isEqualTo("mailer");
    assertThat(spec.timeLimit()).contains(Duration.ofSeconds(30));
  }

  private record Chain(Outbox outbox, Notes notes) {
    @OutboxHandler(type = "first", transactional = true)
    void first(String payload) {
      outbox.publish(Message.of("second").payload(payload + " again").build());
      if (payload.equals("bad")) {
        throw new IllegalStateException("after publishing");
      }
    }

    @OutboxHandler(type = "second")
    void second(String payload) {
      notes.add(payload);
    }
  }

  @Test
  void aTransactionalHandlerWhoseBeanNeedsTheOutboxPublishesOrNot() {
    scene.bean("chain", Chain.class).start();

    scene.deliver("first", "good", "bad");

    assertThat(scene.notes()).containsExactly("good again");
    assertThat(scene.rows().dead()).extracting("type").containsExactly("first");
  }

  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @OutboxHandler(transactional = true)
  private @interface OrderHandler {
    @AliasFor(annotation = OutboxHandler.class)
    String name();
  }

  private record Composed() {
    @OrderHandler(name = "composed")
    void on(Order order) {}
  }

  @Test
  void anAnnotationOfOnesOwnMayCarryTheSettings() {
    scene.bean("composedBean", Composed.class).start();

    assertThat(scene.spec().name()).isEqualTo("composed");
    assertThat(scene.spec().isTransactional()).isTrue();
  }

  private record Documents(Notes notes) {
    @OutboxHandler(type = "t")
    void on(Map<String, List<?>> document) {
      notes.add("unused");
    }
  }

  @Test
  void typeArgumentsThatEveryCodecFillsInAreTaken() {
    scene.bean("documents", Documents.class).start();

    assertThat(scene.spec().payloadClass()).isEqualTo(Map.class);
  }
}
