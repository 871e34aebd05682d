/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.MessageType;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TypeTest {
  @OutboxMessage(type = "order-placed")
  record Annotated(String id) {}

  @OutboxMessage(type = " ")
  record AnnotatedBadly(String id) {}

  record Plain(String id) {}

  private final Publishing publishing =
      new Publishing(
          builder ->
              builder
                  .codec(new NothingCodec())
                  .type("order-shipped", Plain.class)
                  .type("order-renamed", Annotated.class));

  private final Publishing bare = new Publishing(builder -> builder.codec(new NothingCodec()));

  private static Outbox relayOf(Publishing publishing, Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        publishing
            .withRelay()
            .handler("mailer", "order-placed", String.class, (payload, delivery) -> {});
    settings.accept(builder);
    return builder.build().outbox();
  }

  @Test
  void anObjectIsPublishedUnderTheTypeOfItsAnnotation() {
    bare.transactions().run(() -> bare.outbox().publish(new Annotated("1")));

    assertThat(bare.rows().ready()).extracting(row -> row.type()).containsExactly("order-placed");
  }

  @Test
  void anObjectIsPublishedUnderItsRegisteredTypeWhichGoesBeforeAnAnnotation() {
    publishing
        .transactions()
        .run(
            () -> {
              publishing.outbox().publish(new Plain("1"));
              publishing.outbox().publish(new Annotated("2"));
            });

    assertThat(publishing.rows().ready())
        .extracting(row -> row.type())
        .containsExactlyInAnyOrder("order-shipped", "order-renamed");
  }

  @Test
  void anObjectWithoutATypeIsRefusedWithTheWaysOut() {
    assertThat(bare.failure(outbox -> outbox.publish(new Plain("1"))))
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "Message not published: "
                + Plain.class.getName()
                + " has no message type. Annotate it with @OutboxMessage(type = …), register it by type(…) in the builder, or pass the type");
  }

  @Test
  void aBlankAnnotationIsRefused() {
    assertThat(bare.failure(outbox -> outbox.publish(new AnnotatedBadly("1"))))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("its type is blank");
  }

  @Test
  void aMessageGivenAsAnObjectIsThatMessage() {
    Object message = Message.of("order-lost").build();
    bare.transactions().run(() -> bare.outbox().publish(message));

    assertThat(bare.rows().ready()).extracting(row -> row.type()).containsExactly("order-lost");
  }

  @Test
  void aTypeThatIsAConstantIsPublishedUnderItsName() {
    MessageType<String> type = MessageType.of("order-lost", String.class);
    bare.transactions().run(() -> bare.outbox().publish(type, "{}"));

    assertThat(bare.rows().ready()).extracting(row -> row.type()).containsExactly("order-lost");
  }

  @Test
  void whereARelayRunsATypeWithoutHandlerIsRefusedWithTheWaysOut() {
    Outbox outbox = relayOf(bare, builder -> {});

    assertThat(bare.failure(outbox, any -> outbox.publish("order-plaecd", "{}")))
        .isInstanceOf(PublishException.class)
        .hasMessage(
            "Message of type \"order-plaecd\" not published: no handler of this process takes it. Register one, correct the type, or set publish.accept-unhandled-types if another process handles it");
  }

  @Test
  void anAggregateTypeThatNoHandlerTakesIsRefusedToo() {
    Outbox outbox =
        bare.withRelay()
            .handler(
                HandlerSpec.of("mailer", "t", String.class, (payload, delivery) -> {})
                    .aggregateType("order"))
            .build()
            .outbox();

    assertThat(
            bare.failure(
                outbox, any -> outbox.publish(Message.of("t").aggregateType("parcel").build())))
        .isInstanceOf(PublishException.class);
  }

  @Test
  void aTypeWithoutHandlerIsAcceptedIfThatIsSet() {
    Outbox outbox = relayOf(bare, builder -> builder.publish(p -> p.acceptUnhandledTypes(true)));
    bare.transactions().run(() -> outbox.publish("order-elsewhere", "{}"));

    assertThat(bare.rows().ready()).hasSize(1);
  }

  @Test
  void aGenericHandlerTakesWhatItSupports() {
    Outbox outbox =
        relayOf(
            bare,
            builder ->
                builder.handler(
                    HandlerSpec.generic(
                        "audit",
                        envelope -> envelope.type().startsWith("audit-"),
                        (payload, delivery) -> {})));
    bare.transactions().run(() -> outbox.publish("audit-x", "{}"));

    assertThat(bare.rows().ready()).hasSize(1);
  }

  @Test
  void aProcessThatOnlyPublishesAcceptsAllTypes() {
    bare.accept(Message.of("anything").build());

    assertThat(bare.rows().ready()).hasSize(1);
  }
}
