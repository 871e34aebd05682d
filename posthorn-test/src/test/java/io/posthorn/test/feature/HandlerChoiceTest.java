/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerChoiceTest {
  private final Scene scene = new Scene(1);
  private final List<String> calls = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private <P> Handler<P> note() {
    return (payload, delivery) -> calls.add(delivery.handler() + ":" + delivery.type());
  }

  private static <P> Handler<P> failing() {
    return (payload, delivery) -> {
      throw new IllegalStateException("no");
    };
  }

  @Test
  void aTypedHandlerIsAskedBeforeAGenericOneAndBothGetTheMessage() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(HandlerSpec.generic("audit", envelope -> true, note()))
                    .handler("mailer", "t", String.class, note()));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(calls).containsExactly("mailer:t", "audit:t");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aGenericHandlerGetsWhatItSupportsOnly() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.generic(
                            "audit",
                            envelope -> "yes".equals(envelope.headers().get("audit")),
                            note()))
                    .handler("mailer", "t", String.class, note()));
    relay.publish(
        Message.of("t").header("audit", "no").build(),
        Message.of("u").header("audit", "yes").build());

    relay.drain();

    assertThat(calls).containsExactlyInAnyOrder("mailer:t", "audit:u");
  }

  /** It is no fault of the message if the machine was short of memory while it was looked at. */
  @Test
  void aHandlerThatRanOutOfMemoryWhenAskedIsAskedAgain() {
    AtomicInteger asked = new AtomicInteger();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.generic(
                        "audit",
                        envelope -> {
                          if (asked.incrementAndGet() <= 2) {
                            throw new OutOfMemoryError("as planned");
                          }
                          return true;
                        },
                        note())));
    relay.publish(message("t", "k", "1"));

    relay.drain();
    relay.pass(Duration.ofSeconds(5));

    assertThat(calls).containsExactly("audit:t");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anAggregateTypeFiltersWhatAHandlerGets() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(HandlerSpec.of("orders", "t", String.class, note()).aggregateType("o"))
                    .handler(
                        HandlerSpec.of("parcels", "t", String.class, note()).aggregateType("p")));
    relay.publish(Message.of("t").aggregateType("p").build());

    relay.drain();

    assertThat(calls).containsExactly("parcels:t");
  }

  @Test
  void aFailingHandlerHoldsUpNoOther() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("broken", "t", String.class, failing())
                    .handler("mailer", "t", String.class, note()));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();

    assertThat(calls).containsExactly("mailer:t", "mailer:t");
    StoreAssert.assertThat(scene.rows())
        .hasReady(0)
        .laneIsBlocked("broken", "k")
        .laneIsFree("mailer", "k");
  }

  @Test
  void eachHandlerHasItsOwnRetryPolicy() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.<String>of("once", "t", String.class, failing())
                            .retry(RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1)))
                    .handler("often", "t", String.class, failing()));
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(scene.rows().dead()).extracting(row -> row.handler()).containsExactly("once");
    assertThat(scene.rows().deferred()).extracting(row -> row.handler()).containsExactly("often");
  }

  @Test
  void aMessageBecomesADeadLetterForTheHandlerThatGaveUpAfterItsLastAttempt() {
    SteppedRelay relay =
        scene.relay("a", builder -> builder.handler("broken", "t", String.class, failing()));
    relay.publish(message("t", "k", "1"));

    relay.drain();
    relay.pass(Duration.ofSeconds(8));
    assertThat(scene.rows().dead()).isEmpty();
    relay.pass(Duration.ofSeconds(1));

    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.attempts()).isEqualTo(10);
              assertThat(dead.error()).isEqualTo("java.lang.IllegalStateException: no");
            });
    assertThat(relay.log().dead()).hasSize(1);
  }

  @Test
  void aGenericHandlerWhoseTestFailsGetsADeadLetterAndStopsNobody() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.generic(
                            "audit",
                            envelope -> {
                              if (envelope.headers().containsKey("bad")) {
                                throw new IllegalStateException("bug in supports");
                              }
                              return false;
                            },
                            note()))
                    .handler("mailer", "t", String.class, note()));
    relay.publish(Message.of("t").key("k").build());
    scene.publish(publisher(), Message.of("t").key("k").header("bad", "1").build());
    relay.publish(Message.of("t").key("k").build());

    relay.drain();

    assertThat(calls).containsExactly("mailer:t", "mailer:t", "mailer:t");
    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.handler()).isEqualTo("audit");
              assertThat(dead.error()).contains("bug in supports");
            });
    assertThat(relay.posthorn().relay().status().inMemory()).isZero();
  }

  private io.posthorn.Posthorn publisher() {
    return io.posthorn.Posthorn.publishOnly(scene.store(), scene.transactions()).build();
  }
}
