/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.ConfigurationException;
import io.posthorn.Message;
import io.posthorn.MessageHeaders;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.StoreAssert;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RouteTest {
  private final Scene scene = new Scene(1);
  private final InMemorySender kafka = new InMemorySender();
  private final InMemorySender rabbit = new InMemorySender();

  @Retention(RetentionPolicy.RUNTIME)
  @interface ForOthers {}

  @ForOthers
  record Told(String text) {}

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(Route... routes) {
    return relay(builder -> {}, routes);
  }

  private SteppedRelay relay(Consumer<Posthorn.Builder> more, Route... routes) {
    return scene.relay(
        "a",
        builder -> {
          List<Route> all = List.of(routes);
          all.forEach(builder::route);
          if (all.stream().anyMatch(route -> route.sender().equals("kafka"))) {
            builder.sender("kafka", kafka);
          }
          if (all.stream().anyMatch(route -> route.sender().equals("rabbit"))) {
            builder.sender("rabbit", rabbit);
          }
          more.accept(builder);
        });
  }

  private static List<String> payloads(InMemorySender sender) {
    return sender.sent().stream().map(message -> new String(message.payload(), UTF_8)).toList();
  }

  private static List<String> destinations(InMemorySender sender) {
    return sender.sent().stream().map(Outgoing::destination).toList();
  }

  private static Message tenant(String type, String tenant) {
    return Message.of(type).tenant(tenant).payload("p").build();
  }

  @Test
  void aTypeWithARouteNeedsNoHandler() {
    SteppedRelay relay = relay(Route.type("t").to("kafka", "orders"));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(kafka.sent()).hasSize(1);
    assertThat(kafka.sent().get(0).destination()).isEqualTo("orders");
    assertThat(kafka.sent().get(0).key()).isEqualTo("k");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aRouteAndAHandlerMayTakeTheSameType() {
    List<String> handled = new ArrayList<>();
    SteppedRelay relay =
        relay(
            builder -> builder.handler("h", "t", String.class, (text, d) -> handled.add(text)),
            Route.type("t").to("kafka"));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(handled).containsExactly("1");
    assertThat(payloads(kafka)).containsExactly("1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMessageWithRoutesToSeveralSendersGoesToEach() {
    SteppedRelay relay = relay(Route.type("t").to("kafka"), Route.type("t").to("rabbit"));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(payloads(kafka)).containsExactly("1");
    assertThat(payloads(rabbit)).containsExactly("1");
  }

  @Test
  void ofTheRoutesToOneSenderTheFirstThatFitsIsTaken() {
    SteppedRelay relay =
        relay(
            Route.type("t").and(envelope -> envelope.key() != null).to("kafka", "first"),
            Route.type("t").to("kafka", "second"));
    relay.publish(message("t", "k", "1"), message("t", null, "2"));

    relay.drain();

    assertThat(destinations(kafka)).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  void messagesAreChosenByHeaderAndCondition() {
    SteppedRelay relay =
        relay(
            Route.withHeader("audit").to("kafka", "has"),
            Route.withHeader("region", "eu").to("kafka", "is"),
            Route.when(envelope -> envelope.type().startsWith("order-")).to("kafka", "starts"),
            Route.otherwise().to("kafka", "rest"));
    relay.publish(
        Message.of("t").header("audit", "yes").payload("1").build(),
        Message.of("t").header("region", "eu").payload("2").build(),
        Message.of("t").header("region", "us").payload("3").build(),
        Message.of("order-placed").payload("4").build());

    relay.drain();

    assertThat(destinations(kafka)).containsExactlyInAnyOrder("has", "is", "rest", "starts");
  }

  @Test
  void theDefaultTakesOnlyWhatNoRouteToAnySenderTakes() {
    SteppedRelay relay = relay(Route.otherwise().to("kafka"), Route.type("t").to("rabbit"));
    relay.publish(message("t", "k", "1"), message("u", "k", "2"));

    relay.drain();

    assertThat(payloads(rabbit)).containsExactly("1");
    assertThat(payloads(kafka)).containsExactly("2");
  }

  @Test
  void classesThatBearAnAnnotationAreChosenByIt() {
    SteppedRelay relay =
        relay(
            builder ->
                builder
                    .type("told", Told.class)
                    .handler("h", "other", String.class, (text, delivery) -> {}),
            Route.annotated(ForOthers.class).to("kafka"));
    relay.publish(message("told", null, "1"), Message.of("other").payload("2").build());

    relay.drain();

    assertThat(payloads(kafka)).containsExactly("1");
  }

  @Test
  void textsAreFilledFromTheMessage() {
    SteppedRelay relay =
        relay(
            Route.type("t")
                .to("kafka", "{aggregate-type}-{tenant}")
                .routingKey("{type}.{header.region}")
                .key("{tenant}/{key}")
                .header("told-by", "shop {id}")
                .header("nothing", "{header.missing}"));
    UUID id = UUID.randomUUID();
    relay.publish(
        Message.of("t")
            .id(id)
            .aggregateType("order")
            .tenant("acme")
            .key("7")
            .header("region", "eu")
            .payload("p")
            .build());

    relay.drain();

    Outgoing sent = kafka.sent().get(0);
    assertThat(sent.destination()).isEqualTo("order-acme");
    assertThat(sent.routingKey()).isEqualTo("t.eu");
    assertThat(sent.key()).isEqualTo("acme/7");
    assertThat(sent.headers()).containsEntry("told-by", "shop " + id).doesNotContainKey("nothing");
  }

  @Test
  void aDestinationWithoutItsValueMakesADeadLetterAtOnce() {
    SteppedRelay relay = relay(Route.type("t").to("kafka", "orders-{tenant}"));
    relay.publish(Message.of("t").payload("1").build(), tenant("t", "acme"));

    relay.drain();

    assertThat(destinations(kafka)).containsExactly("orders-acme");
    assertThat(scene.rows().dead()).hasSize(1);
    assertThat(scene.rows().dead().get(0).error()).contains("destination that the message lacks");
  }

  @Test
  void aKeyWithoutItsValueMakesADeadLetterAtOnce() {
    SteppedRelay relay = relay(Route.type("t").to("kafka").key("{header.customer}"));
    relay.publish(Message.of("t").key("k").payload("1").build());

    relay.drain();

    assertThat(kafka.sent()).isEmpty();
    assertThat(scene.rows().dead()).hasSize(1);
    assertThat(scene.rows().dead().get(0).error()).contains("key that the message lacks");
  }

  @Test
  void aMessageCannotForgeTheKeyOrTenantThatItDoesNotHave() {
    SteppedRelay relay = relay(Route.type("t").to("kafka"));
    relay.publish(
        Message.of("t")
            .header(MessageHeaders.KEY, "forged")
            .header(MessageHeaders.TENANT, "forged")
            .header(MessageHeaders.AGGREGATE_TYPE, "forged")
            .payload("1")
            .build());

    relay.drain();

    assertThat(kafka.sent().get(0).headers()).doesNotContainValue("forged");
  }

  @Test
  void aMessageCannotForgeTheSubjectThatItDoesNotHave() { // issue 18, E14
    SteppedRelay relay =
        relay(builder -> builder.cloudEvents("/shop"), Route.type("t").to("kafka"));
    relay.publish(Message.of("t").header("ce_subject", "forged").payload("1").build());

    relay.drain();

    assertThat(kafka.sent().get(0).headers())
        .containsEntry("ce_type", "t")
        .doesNotContainValue("forged");
  }

  @Test
  void theHeadersSayWhatTheMessageIs() {
    SteppedRelay relay = relay(Route.type("t").to("kafka"));
    Instant occurredAt = Instant.parse("2026-01-02T03:04:05Z");
    UUID id =
        relay
            .publish(
                Message.of("t")
                    .key("k")
                    .tenant("acme")
                    .aggregateType("order")
                    .occurredAt(occurredAt)
                    .header(
                        "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                    .header(MessageHeaders.TYPE, "forged")
                    .payload("1")
                    .build())
            .get(0);

    relay.drain();

    assertThat(kafka.sent().get(0).headers())
        .contains(
            entry(MessageHeaders.ID, id.toString()),
            entry(MessageHeaders.TYPE, "t"),
            entry(MessageHeaders.KEY, "k"),
            entry(MessageHeaders.TENANT, "acme"),
            entry(MessageHeaders.AGGREGATE_TYPE, "order"),
            entry(MessageHeaders.OCCURRED_AT, "2026-01-02T03:04:05Z"),
            entry(MessageHeaders.CREATED_AT, scene.clock().instant().toString()),
            entry(
                MessageHeaders.TRACEPARENT,
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        .containsKey(MessageHeaders.CONTENT_TYPE)
        .doesNotContainKey("ce_id");
  }

  @Test
  void cloudEventsHeadersComeWhenTheyAreAskedFor() {
    SteppedRelay relay =
        relay(builder -> builder.cloudEvents("/shop"), Route.type("t").to("kafka"));
    UUID id = relay.publish(message("t", "k", "1")).get(0);

    relay.drain();

    assertThat(kafka.sent().get(0).headers())
        .contains(
            entry("ce_specversion", "1.0"),
            entry("ce_id", id.toString()),
            entry("ce_source", "/shop"),
            entry("ce_type", "t"),
            entry("ce_subject", "k"))
        .containsKey("ce_time");
  }

  @Test
  void whatTheFilterDropsIsIgnoredAndLetsTheNextOneOfItsKeyGo() {
    SteppedRelay relay =
        relay(Route.type("t").to("kafka").filter(delivery -> delivery.headers().isEmpty()));
    relay.publish(
        message("t", "k", "1"),
        Message.of("t").key("k").header("secret", "yes").payload("2").build(),
        message("t", "k", "3"));

    relay.drain();

    assertThat(payloads(kafka)).containsExactly("1", "3");
    assertThat(relay.log().ignored()).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aMappingChangesWhatIsSentButNotATombstone() {
    SteppedRelay relay =
        relay(
            Route.type("t")
                .to("kafka")
                .mapping(String.class, (text, delivery) -> text + "@" + delivery.key()));
    relay.publish(message("t", "k", "1"), Message.of("t").key("k").build());

    relay.drain();

    assertThat(kafka.sent()).hasSize(2);
    assertThat(new String(kafka.sent().get(0).payload(), UTF_8)).isEqualTo("1@k");
    assertThat(kafka.sent().get(1).payload()).isNull();
  }

  @Test
  void aConfigurationThatCannotWorkIsRefusedAsAWhole() {
    assertThatThrownBy(
            () ->
                scene.relay(
                    "a",
                    builder ->
                        builder
                            .sender("unused", kafka, handler -> handler.batchPerKey(5))
                            .route(Route.type("t").to("kafak"))
                            .route(Route.annotated(ForOthers.class).to("unused-too"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(
            "a route leads to sender \"kafak\", which was not registered; known are [unused]")
        .hasMessageContaining("no route leads to sender \"unused\"")
        .hasMessageContaining("batch-per-key of sender \"unused\" was 5 but must stay 1")
        .hasMessageContaining("ForOthers but no class that is known bears it");
    assertThatThrownBy(() -> Route.type("t").to("kafka", "orders-{tennant}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("{tennant}")
        .hasMessageContaining("{tenant}");
    assertThatThrownBy(() -> Route.type("t").to("kafka").key("{key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without a \"}\"");
  }
}
