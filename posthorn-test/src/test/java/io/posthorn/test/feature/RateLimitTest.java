/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final Scene scene = new Scene(1);

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(int deliveries, Duration per) {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.of("mailer", "t", String.class, (payload, delivery) -> {})
                            .rateLimit(deliveries, per))
                    .handler("ledger", "t", String.class, (payload, delivery) -> {}));
    relay.publish(
        IntStream.range(0, 200)
            .mapToObj(i -> Message.of("t").key("k" + i % 7).payload("{}").build())
            .toArray(Message[]::new));
    return relay;
  }

  private static long count(SteppedRelay relay, String handler) {
    return relay.log().delivered().stream().map(Delivery::handler).filter(handler::equals).count();
  }

  @Test
  void aHandlerBeginsNoMoreDeliveriesThanItsLimit() {
    SteppedRelay relay = relay(20, Duration.ofSeconds(1));
    relay.drain();
    assertThat(count(relay, "mailer")).as("a tenth at once").isEqualTo(2);

    long before = 0;
    for (int second = 0; second < 5; second++) {
      before = count(relay, "mailer");
      for (int i = 0; i < 10; i++) {
        scene.clock().advance(Duration.ofMillis(100));
        relay.drain();
      }
      assertThat(count(relay, "mailer") - before).isBetween(19L, 21L);
    }
  }

  @Test
  void otherHandlersAreNotSlowedDown() {
    SteppedRelay relay = relay(1, Duration.ofMinutes(1));

    relay.drain();

    assertThat(count(relay, "mailer")).isEqualTo(1);
    assertThat(count(relay, "ledger")).isEqualTo(200);
  }

  @Test
  void aLimitOverALongTimeLetsTheFirstOnesThrough() {
    SteppedRelay relay = relay(100, Duration.ofHours(1));

    relay.drain();
    assertThat(count(relay, "mailer")).isEqualTo(10);
    relay.pass(Duration.ofSeconds(73));

    assertThat(count(relay, "mailer")).isEqualTo(12);
  }

  /** A worker hands in one that it has not come to while an earlier one comes back to the lane. */
  @Test
  void aMessageIsNotOvertakenWhenAnEarlierOneIsRetried() { // issue 19
    List<String> received = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.settleBatch(1))
                    .handler(
                        HandlerSpec.of("ledger", "t", String.class, (payload, delivery) -> {})
                            .transactional())
                    .handler(
                        HandlerSpec.of(
                                "mailer",
                                "t",
                                String.class,
                                (payload, delivery) -> {
                                  received.add(payload);
                                  scene.clock().advance(Duration.ofMillis(2)); // its slice is over
                                })
                            .rateLimit(20, Duration.ofSeconds(1))));
    Admin admin = relay.posthorn().admin();
    relay.steps().step("lease");
    relay.publish(message("t", "k", "0"), message("t", "k", "1"), message("t", "k", "2"));
    relay.steps().step("read");
    relay.steps().step("read");
    assertThat(received).as("as many as the limit allows at once").containsExactly("0", "1");
    for (int i = 0; i < 3; i++) {
      relay.steps().step("settle"); // each handler has a row of its own
    }
    admin.lanes().skipHead("mailer", "k");
    relay.steps().step("settle"); // the first one is done, but it is a dead letter by now
    admin.deadLetters().retryAll(Admin.Filter.all());
    relay.publish(message("t", "k", "3"));
    relay.steps().step("read");
    scene.clock().advance(Duration.ofMillis(100)); // two more

    relay.pass(Duration.ofSeconds(5));

    assertThat(received).containsExactly("0", "1", "0", "2", "3");
    assertThat(scene.rows().noMessages()).isTrue();
  }
}
