/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Batch;
import io.posthorn.BatchHandler;
import io.posthorn.ConfigurationException;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FallbackTest {
  private static final RetryPolicy ONCE = RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1);
  private static final Handler<String> FAILS =
      (payload, delivery) -> {
        throw new IllegalStateException("no answer");
      };

  private final Scene scene = new Scene(1);
  private final List<String> fallen = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void aFallbackIsFoundByTheClassOfThePayload() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.retry(ONCE))
                    .fallback(
                        String.class,
                        (payload, delivery, cause) -> fallen.add("by class " + delivery.handler()))
                    .handler("one", "t", String.class, FAILS)
                    .handler(
                        HandlerSpec.of("two", "t", String.class, FAILS)
                            .fallback((payload, delivery, cause) -> fallen.add("own " + payload)))
                    .handler(
                        "three",
                        "t",
                        byte[].class,
                        (payload, delivery) -> {
                          throw new IllegalStateException("no answer");
                        }));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(fallen).containsExactlyInAnyOrder("by class one", "own 1");
    assertThat(scene.rows().dead()).extracting("handler").containsExactly("three");
    assertThat(relay.log().delivered())
        .extracting(Delivery::handler)
        .containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void twoFallbacksForOneClassAreRefused() {
    Handler.Fallback<String> fallback = (payload, delivery, cause) -> {};
    assertThatThrownBy(
            () ->
                scene.relay(
                    "a",
                    builder ->
                        builder
                            .fallback(String.class, fallback)
                            .fallback(String.class, fallback)
                            .handler("one", "t", String.class, FAILS)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("two fallbacks were registered for java.lang.String");
  }

  @Test
  void aBatchHandlerDecidesForEachItem() {
    BatchHandler<String> handler =
        batch -> {
          for (Batch.Item<String> item : batch.items()) {
            switch (String.valueOf(item.payload())) {
              case "ignore" -> batch.decide(item, DeliveryResult.ignored());
              case "dead" -> batch.decide(item, DeliveryResult.dead("not wanted"));
              case "later" -> batch.decide(item, DeliveryResult.retryAfter(Duration.ofSeconds(30)));
              default -> {}
            }
          }
        };
    SteppedRelay relay =
        scene.relay(
            "a",
            builder -> builder.handler(HandlerSpec.batch("b", "t", String.class, 10, handler)));
    List<UUID> ids =
        relay.publish(
            message("t", "a", "ignore"),
            message("t", "b", "dead"),
            message("t", "c", "later"),
            message("t", "c", "behind"),
            message("t", "d", "fine"));

    relay.drain();

    assertThat(relay.log().ignored()).extracting(Delivery::messageId).containsExactly(ids.get(0));
    assertThat(scene.rows().dead()).extracting("error").containsExactly("not wanted");
    assertThat(scene.rows().deferred()).extracting("reason").containsExactly("RETRYING", "HELD");
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsExactly(ids.get(4));
  }

  @Test
  void aHandlerThatDecidesNothingHasFailed() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.deciding("d", "t", String.class, (payload, delivery) -> null)));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(scene.rows().deferred().get(0).error()).contains("the handler returned null");
    StoreAssert.assertThat(scene.rows()).hasReady(0);
  }
}
