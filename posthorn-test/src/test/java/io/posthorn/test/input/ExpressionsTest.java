/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.Message;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.PublishHook;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpressionsTest {
  @OutboxMessage(type = "keyed", key = "id")
  record Keyed(String id) {}

  @OutboxMessage(
      type = "full",
      key = "id",
      headers = {"twice = id=id", "gone=null"})
  record Full(String id) {}

  @OutboxMessage(type = "bad", headers = "region")
  record BadHeader(String id) {}

  static class Heir extends Parent {}

  @OutboxMessage(type = "parent", key = "id")
  static class Parent {}

  private final List<Envelope> published = new ArrayList<>();
  private final Publishing without = new Publishing(builder -> builder.codec(new NothingCodec()));
  private final Publishing publishing =
      new Publishing(
          builder ->
              builder
                  .codec(new NothingCodec())
                  .expressions(ExpressionsTest::evaluate)
                  .publishHook(
                      new PublishHook() {
                        @Override
                        public void afterCommit(List<Envelope> messages) {
                          published.addAll(messages);
                        }
                      }));

  /** Knows "id" and "null", and cannot tell the others. */
  private static String evaluate(String expression, Object payload) {
    String id = payload instanceof Keyed keyed ? keyed.id() : ((Full) payload).id();
    return switch (expression) {
      case "id" -> id;
      case "id=id" -> id + id;
      case "null" -> null;
      default -> throw new IllegalArgumentException("don't know");
    };
  }

  private Envelope publish(Object payload) {
    publishing.transactions().run(() -> publishing.outbox().publish(payload));
    return published.get(0);
  }

  @Test
  void keyAndHeadersComeFromTheClass() {
    Envelope envelope = publish(new Full("7"));

    assertThat(envelope.type()).isEqualTo("full");
    assertThat(envelope.key()).isEqualTo("7");
    assertThat(envelope.headers()).containsOnly(entry("twice", "77"));
  }

  @Test
  void theyHoldHoweverThePayloadIsPublished() {
    publishing.transactions().run(() -> publishing.outbox().publish("other-type", new Full("7")));

    assertThat(published)
        .singleElement()
        .satisfies(
            envelope -> {
              assertThat(envelope.type()).isEqualTo("other-type");
              assertThat(envelope.key()).isEqualTo("7");
            });
  }

  @Test
  void whatTheMessageHasWins() {
    Envelope envelope =
        publish(Message.of("full").payload(new Full("7")).key("8").header("twice", "9").build());

    assertThat(envelope.key()).isEqualTo("8");
    assertThat(envelope.headers()).containsOnly(entry("twice", "9"));
  }

  @Test
  void hooksSeeTheKey() {
    List<String> seen = new ArrayList<>();
    Publishing hooked =
        new Publishing(
            builder ->
                builder
                    .codec(new NothingCodec())
                    .expressions((expression, payload) -> "k")
                    .publishHook(
                        new PublishHook() {
                          @Override
                          public Message beforePublish(Message message) {
                            seen.add(message.key());
                            return message;
                          }
                        }));
    hooked.transactions().run(() -> hooked.outbox().publish(new Keyed("7")));

    assertThat(seen).containsExactly("k");
  }

  @Test
  void aSubclassDoesNotInheritThem() {
    MessageExpressions refusing =
        (expression, payload) -> {
          throw new AssertionError("not to be asked");
        };
    Publishing publishing =
        new Publishing(builder -> builder.codec(new NothingCodec()).expressions(refusing));
    publishing.transactions().run(() -> publishing.outbox().publish("heir", new Heir()));

    assertThat(publishing.rows().ready()).extracting(row -> row.key()).containsOnlyNulls();
  }

  @Test
  void aKeyThatIsNullIsRefusedNamingClassAndExpression() {
    assertThat(publishing.failure(outbox -> outbox.publish(new Keyed(null))))
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "Message not published: the key expression \"id\" in @OutboxMessage of "
                + Keyed.class.getName()
                + " yields null. Give the object its key before it is published, or leave the key of the annotation out if order does not matter");
  }

  @Test
  void aFailingExpressionIsRefusedNamingClassAndExpression() {
    Publishing failing =
        new Publishing(
            builder ->
                builder
                    .codec(new NothingCodec())
                    .expressions(
                        (expression, payload) -> {
                          throw new IllegalArgumentException("no such property");
                        }));

    assertThat(failing.failure(outbox -> outbox.publish(new Keyed("7"))))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("the key expression \"id\" in @OutboxMessage of ")
        .hasMessageContaining(Keyed.class.getName() + " failed: no such property")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aHeaderWithoutANameIsRefused() {
    assertThat(publishing.failure(outbox -> outbox.publish(new BadHeader("7"))))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("the header expression \"region\"")
        .hasMessageContaining("Write name=expression");
  }

  @Test
  void withoutAnEvaluatorTheKeyIsNotDroppedSilently() {
    assertThat(without.failure(outbox -> outbox.publish(new Keyed("7"))))
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "Message not published: the key expression \"id\" in @OutboxMessage of "
                + Keyed.class.getName()
                + " cannot be evaluated: this outbox has no evaluator. Set one by expressions(…) in the builder (posthorn-spring has SpelMessageExpressions), or take the expression out and publish a Message with the key");
  }

  @Test
  void withoutAnEvaluatorAMessageThatHasTheKeyIsPublished() {
    without.accept(Message.of("keyed").payload(new Keyed("7")).key("8").build());

    assertThat(without.rows().ready()).extracting(row -> row.key()).containsExactly("8");
  }

  @Test
  void withoutAnEvaluatorAMissingHeaderIsRefusedToo() {
    assertThat(
            without.failure(
                outbox -> outbox.publish(Message.of("f").payload(new Full("7")).key("8").build())))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("publish a Message with the header");
  }
}
