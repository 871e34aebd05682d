/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.test.StoreAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // handlers are called by reflection
class FallbackMethodTest {
  private final HandlerScene scene = new HandlerScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private record AllParameters(Notes notes) {
    @OutboxHandler(type = "text")
    void text(String payload) {
      throw new IllegalStateException("no text");
    }

    @OutboxHandler(type = "refund")
    void refund(Refund payload) {
      throw new IllegalStateException("no refund");
    }

    @OutboxHandler(type = "order")
    void order(Order payload) {
      throw new IllegalStateException("no order");
    }

    @OutboxHandler(type = "bytes")
    void bytes(byte[] payload) {
      throw new IllegalStateException("no bytes");
    }

    @OutboxFallback
    private void payloadOnly(String payload) {
      notes.add(payload);
    }

    @OutboxFallback
    void withDelivery(Refund payload, Delivery delivery) {
      notes.add(payload.id() + " " + delivery.handler());
    }

    @OutboxFallback
    void withAll(Order payload, Delivery delivery, Throwable cause) {
      notes.add(payload.id() + " " + delivery.handler() + " " + cause.getMessage());
    }

    @OutboxFallback
    void withCause(byte[] payload, Throwable cause) {
      notes.add(payload.length + " " + cause.getMessage());
    }
  }

  @Test
  void aFallbackTakesWhatItLikesAndIsFoundByItsPayloadClass() {
    scene.bean("mailer", AllParameters.class).start();

    scene.deliver("text", "1");
    scene.deliver("refund", "2");
    scene.deliver("order", "3");
    scene.deliver("bytes", "4");

    assertThat(scene.notes())
        .containsExactly("1", "2 mailer.refund", "3 mailer.order no order", "1 no bytes");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  private record Named(Notes notes) {
    @OutboxHandler(type = "a", name = "first")
    void one(String payload) {
      throw new IllegalStateException("no answer");
    }

    @OutboxHandler(type = "b")
    void two(String payload) {
      throw new IllegalStateException("no answer");
    }

    @OutboxHandler(type = "c")
    void three(String payload) {
      throw new IllegalStateException("no answer");
    }

    @OutboxFallback(handler = "first")
    void ofFirst(String payload) {
      notes.add("by the handler's name");
    }

    @OutboxFallback(handler = "two")
    void ofTwo(String payload) {
      notes.add("by the method's name");
    }

    @OutboxFallback
    void ofOthers(String payload) {
      notes.add("by the payload's class");
    }
  }

  @Test
  void aFallbackThatNamesItsHandlerGoesFirst() {
    scene.bean("mailer", Named.class).start();

    scene.deliver("a", "1");
    scene.deliver("b", "2");
    scene.deliver("c", "3");

    assertThat(scene.notes())
        .containsExactly("by the handler's name", "by the method's name", "by the payload's class");
  }

  private record Other() {
    @OutboxHandler(type = "t")
    void on(String payload) {
      throw new IllegalStateException("no answer");
    }
  }

  @Test
  void aFallbackDoesNotServeOtherBeans() {
    scene.bean("mailer", Named.class).bean("other", Other.class).start();

    scene.deliver("t", "1");

    assertThat(scene.notes()).isEmpty();
    assertThat(scene.rows().dead()).extracting("handler").containsExactly("other.on");
  }

  private record FailingTwice() {
    @OutboxHandler(type = "t")
    void on(String payload) {
      throw new IllegalStateException("first");
    }

    @OutboxFallback
    void instead(String payload) {
      throw new IllegalStateException("second");
    }
  }

  @Test
  void aFallbackThatThrowsMakesADeadLetter() {
    scene.bean("mailer", FailingTwice.class).start();

    scene.deliver("t", "1");

    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(dead -> assertThat(dead.error()).contains("second"));
  }
}
