/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.PublishHook;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ContextProviderTest {
  private final Scene scene = new Scene(4);
  private final List<Map<String, String>> got = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private Map<String, String> delivered(Message message, ContextProvider... providers) {
    return deliveredBy(builder -> {}, message, providers);
  }

  private Map<String, String> deliveredBy(
      Consumer<Posthorn.Builder> settings, Message message, ContextProvider... providers) {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder -> {
              settings.accept(builder);
              builder.handler(
                  "h", "t", String.class, (payload, delivery) -> got.add(delivery.headers()));
              for (ContextProvider provider : providers) {
                builder.contextProvider(provider);
              }
            });
    relay.publish(message);
    relay.drain();
    assertThat(got).hasSize(1);
    return got.get(0);
  }

  @Test
  void headersOfProvidersAreMergedAndLaterProvidersWin() {
    assertThat(
            delivered(
                Message.of("t").header("own", "0").build(),
                message -> Map.of("a", "1", "b", "1"),
                message -> Map.of("b", "2", "c", message.type())))
        .isEqualTo(Map.of("own", "0", "a", "1", "b", "2", "c", "t"));
  }

  @Test
  void headersGivenByHandWin() {
    assertThat(
            delivered(
                Message.of("t").header("user", "by hand").build(),
                message -> Map.of("user", "provided")))
        .isEqualTo(Map.of("user", "by hand"));
  }

  @Test
  void headersSetByAHookWin() {
    PublishHook hook =
        new PublishHook() {
          @Override
          public Message beforePublish(Message message) {
            return message.toBuilder().header("user", "by hook").build();
          }
        };

    assertThat(
            deliveredBy(
                builder -> builder.publishHook(hook),
                Message.of("t").build(),
                message -> Map.of("user", "provided")))
        .isEqualTo(Map.of("user", "by hook"));
  }

  @Test
  void theRestOfTheMessageStaysAsItIs() {
    List<String> payloads = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("h", "t", String.class, (payload, delivery) -> payloads.add(payload))
                    .contextProvider(message -> Map.of("a", "1")));
    Message message = Message.of("t").key("k").payload("text").idempotencyKey("once").build();

    relay.publish(message);
    relay.publish(message);
    relay.drain();

    assertThat(payloads).containsExactly("text");
    assertThat(relay.log().delivered().get(0).idempotencyKey()).isEqualTo("once");
  }

  @Test
  void aProviderThatFailsIsLeftOutAndTheMessageIsPublished() {
    assertThat(
            delivered(
                Message.of("t").build(),
                message -> Map.of("first", "1"),
                message -> {
                  throw new IllegalStateException("no context");
                },
                message -> {
                  throw new NoClassDefFoundError("no tracing");
                },
                message -> null,
                message -> Collections.singletonMap("value", null),
                message -> Collections.singletonMap(null, "name"),
                message -> Map.of("last", "2")))
        .isEqualTo(Map.of("first", "1", "last", "2"));
  }

  @Test
  void aProviderWhoseHeadersCannotBeStoredIsLeftOut() {
    assertThat(
            delivered(
                Message.of("t").build(),
                message -> Map.of("nul", "\0", "with it", "1"),
                message -> Map.of(" ", "blank"),
                message -> Map.of("n".repeat(256), "long"),
                message -> Map.of("long", "v".repeat(40_000)),
                message -> Map.of(Message.IDEMPOTENCY_KEY_HEADER, "not by this way"),
                message -> Map.of("last", "2")))
        .isEqualTo(Map.of("last", "2"));
  }
}
