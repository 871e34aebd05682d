/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.test.StoreAssert;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that were published under an older name, or in an older form. */
class RenamedTypeTest {
  private final Scene scene = new Scene(1);
  private final List<String> calls = new ArrayList<>();
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();

  @AfterEach
  void stop() {
    scene.close();
  }

  private Consumer<Posthorn.Builder> handling(String type) {
    return builder ->
        builder.handler(
            "h", type, String.class, (text, delivery) -> calls.add(delivery.type() + " " + text));
  }

  // --- aliases

  @Test
  void aStoredMessageOfAnOldTypeIsDeliveredAsTheNewOneInTheOrderOfItsKey() {
    scene.publish(publisher, message("old", "k", "1"), message("new", "k", "2"));
    scene.publish(publisher, message("old", "k", "3"));

    SteppedRelay relay = scene.relay("a", handling("new").andThen(b -> b.alias("old", "new")));
    relay.drain();

    assertThat(calls).containsExactly("new 1", "new 2", "new 3");
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.message().envelope().type())
        .containsOnly("new");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void theRowKeepsTheNameItWasPublishedUnder() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        "h",
                        "new",
                        String.class,
                        (text, delivery) -> {
                          calls.add(delivery.type());
                          throw new IllegalStateException("no");
                        })
                    .alias("old", "new"));
    relay.publish(message("old", "k", "1"));
    relay.drain();

    assertThat(scene.rows().deferred()).extracting(row -> row.type()).containsExactly("old");
    relay.pass(Duration.ofSeconds(1));
    assertThat(calls).as("also when it is retried").containsExactly("new", "new");
  }

  @Test
  void aNewNameMayBeAnOldNameOfAThird() {
    SteppedRelay relay =
        scene.relay(
            "a",
            handling("third").andThen(b -> b.alias("first", "second").alias("second", "third")));
    relay.publish(message("first", null, "1"), message("second", null, "2"));
    relay.drain();

    assertThat(calls).containsExactlyInAnyOrder("third 1", "third 2");
  }

  @Test
  void aGenericHandlerSeesTheNewName() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.generic(
                            "audit",
                            envelope -> envelope.type().equals("new"),
                            (bytes, delivery) -> calls.add(delivery.type())))
                    .alias("old", "new"));
    relay.publish(message("old", "k", "1"));
    relay.drain();

    assertThat(calls).containsExactly("new");
  }

  @Test
  void otherInstancesAreToldTheOldNamesToo() {
    scene.relay("a", handling("new").andThen(b -> b.alias("old", "new"))).drain();

    assertThat(scene.rows().instances())
        .singleElement()
        .satisfies(
            instance ->
                assertThat(instance.handlers().get("h")).containsExactlyInAnyOrder("new", "old"));
  }

  @Test
  void aMessageThatWaitedUnderItsOldNameIsDeliveredOnceTheAliasIsThere() {
    scene.publish(publisher, message("old", "k", "1"));
    SteppedRelay without = scene.relay("a", handling("new"));
    without.drain();
    without.close();

    SteppedRelay relay = scene.relay("b", handling("new").andThen(b -> b.alias("old", "new")));
    relay.drain();
    relay.pass(Duration.ofSeconds(30));

    assertThat(calls).containsExactly("new 1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  // --- upcasting

  private static byte[] upper(Envelope envelope) {
    byte[] payload = java.util.Objects.requireNonNull(envelope.payload());
    return new String(payload, StandardCharsets.UTF_8)
        .toUpperCase(java.util.Locale.ROOT)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aPayloadIsUpcastForHandlersOfTextAndOfBytes() {
    SteppedRelay relay =
        scene.relay(
            "a",
            handling("t")
                .andThen(
                    builder ->
                        builder
                            .handler(
                                "bytes",
                                "t",
                                byte[].class,
                                (bytes, delivery) ->
                                    calls.add(new String(bytes, StandardCharsets.UTF_8)))
                            .upcaster("t", RenamedTypeTest::upper)));
    relay.publish(message("t", "k", "a"));
    relay.drain();

    assertThat(calls).containsExactly("t A", "A");
  }

  @Test
  void anUpcasterSeesTheNewNameTheHeadersAndTheRawPayload() {
    List<String> seen = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            handling("new")
                .andThen(
                    builder ->
                        builder
                            .alias("old", "new")
                            .upcaster(
                                "new",
                                envelope -> {
                                  seen.add(envelope.type() + envelope.headers());
                                  return upper(envelope);
                                })));
    relay.publish(Message.of("old").header("v", "1").payload("a").build());
    relay.drain();

    assertThat(seen).containsExactly("new{v=1}");
    assertThat(calls).containsExactly("new A");
  }

  @Test
  void aTombstoneIsNotUpcast() {
    SteppedRelay relay =
        scene.relay(
            "a",
            handling("t")
                .andThen(
                    builder ->
                        builder.upcaster(
                            "t",
                            envelope -> {
                              throw new IllegalStateException("asked");
                            })));
    relay.publish(Message.of("t").key("k").build());
    relay.drain();

    assertThat(calls).containsExactly("t null");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anUpcasterThatThrowsMakesThePayloadUndecodable() {
    SteppedRelay relay =
        scene.relay(
            "a",
            handling("t")
                .andThen(
                    builder ->
                        builder.upcaster(
                            "t",
                            envelope -> {
                              throw new IllegalStateException("version 9");
                            })));
    relay.publish(message("t", "k", "secret"));
    relay.drain();

    assertThat(calls).isEmpty();
    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(
            dead ->
                assertThat(dead.error())
                    .contains("could not be upcast for type \"t\": version 9")
                    .doesNotContain("secret"));
  }

  @Test
  void anUpcasterThatSpoilsWhatItGaveAwayHarmsNoOtherHandler() {
    byte[] shared = "same".getBytes(StandardCharsets.UTF_8);
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("one", "t", byte[].class, (bytes, delivery) -> bytes[0] = 'X')
                    .handler(
                        "two",
                        "t",
                        byte[].class,
                        (bytes, delivery) -> calls.add(new String(bytes, StandardCharsets.UTF_8)))
                    .upcaster("t", envelope -> shared));
    relay.publish(message("t", "k", "a"));
    relay.drain();

    assertThat(calls).containsExactly("same");
    assertThat(relay.log().delivered()).extracting(Delivery::handler).hasSize(2);
  }
}
