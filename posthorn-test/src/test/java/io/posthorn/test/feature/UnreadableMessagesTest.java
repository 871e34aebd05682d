/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.UnreadableMessages;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Policies for messages that nobody can read. */
class UnreadableMessagesTest {
  private static final Duration GRACE = Duration.ofMinutes(2);

  private final Scene scene = new Scene(1);
  private final List<String> asked = new ArrayList<>();
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();

  @AfterEach
  void stop() {
    scene.close();
  }

  // --- unknown types

  private SteppedRelay knowing(
      String name, BiFunction<Envelope, Duration, DeliveryResult> unknownType) {
    UnreadableMessages policy =
        new UnreadableMessages() {
          @Override
          public DeliveryResult unknownType(Envelope message, Duration waited, Duration grace) {
            asked.add(message.type() + " " + waited.toSeconds() + " of " + grace.toSeconds());
            return unknownType.apply(message, waited);
          }
        };
    return scene.relay(
        name,
        builder ->
            builder
                .handler("h", "t", String.class, (text, delivery) -> {})
                .unreadableMessages(policy)
                .relay(r -> r.unknownTypeGrace(GRACE).pollInterval(Duration.ofMillis(100))));
  }

  private void publishUnknown(String... keys) {
    for (String key : keys) {
      scene.publish(publisher, message("unknown", key, "1"));
    }
  }

  @Test
  void anUnknownTypeCanBeIgnoredAtTheFirstLook() {
    SteppedRelay relay = knowing("a", (message, waited) -> DeliveryResult.ignored());
    publishUnknown("k", null);
    relay.drain();

    assertThat(asked).containsExactly("unknown 0 of 120", "unknown 0 of 120");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(relay.posthorn().relay().status().inMemory()).isZero();
  }

  @Test
  void deliveredCountsAsIgnored() {
    SteppedRelay relay = knowing("a", (message, waited) -> DeliveryResult.delivered());
    publishUnknown("k");
    relay.drain();

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    relay.log().assertNothingDelivered();
  }

  @Test
  void anUnknownTypeCanBeGivenUpWithAReason() {
    SteppedRelay relay = knowing("a", (message, waited) -> DeliveryResult.dead("not\0ours"));
    publishUnknown("k");
    relay.drain();

    assertThat(scene.rows().dead())
        .extracting(dead -> dead.handler() + " " + dead.error())
        .containsExactly("* not\uFFFDours");
  }

  @Test
  void itIsLookedAtAgainWhenThePolicySaysSoAndHowLongItWaitedIsTold() {
    SteppedRelay relay =
        knowing(
            "a",
            (message, waited) ->
                waited.toSeconds() < 25
                    ? DeliveryResult.retryAfterUncounted(Duration.ofSeconds(10))
                    : DeliveryResult.dead("late"));
    publishUnknown("k");
    relay.drain();
    relay.pass(Duration.ofSeconds(29));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    assertThat(scene.rows().deferred()).extracting(row -> row.attempts()).containsExactly(0);
    relay.pass(Duration.ofSeconds(2));

    assertThat(asked)
        .containsExactly(
            "unknown 0 of 120", "unknown 10 of 120", "unknown 20 of 120", "unknown 30 of 120");
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  @Test
  void howLongItWaitedSurvivesARestart() {
    SteppedRelay first =
        knowing(
            "a", (message, waited) -> DeliveryResult.retryAfterUncounted(Duration.ofSeconds(30)));
    publishUnknown("k");
    first.drain();
    first.pass(Duration.ofSeconds(31));
    first.close();
    asked.clear();

    SteppedRelay second =
        knowing(
            "b", (message, waited) -> DeliveryResult.retryAfterUncounted(Duration.ofSeconds(30)));
    second.drain();
    second.pass(Duration.ofSeconds(29));

    assertThat(asked).containsExactly("unknown 60 of 120");
  }

  @Test
  void looksAreCountedIfThePolicySaysSo() {
    SteppedRelay relay =
        knowing("a", (message, waited) -> DeliveryResult.retryAfter(Duration.ofSeconds(10)));
    publishUnknown("k");
    relay.drain();
    relay.pass(Duration.ofSeconds(10));

    assertThat(scene.rows().deferred()).extracting(row -> row.attempts()).containsExactly(2);
  }

  @Test
  void aRetryAtOnceIsOneSecondAway() {
    SteppedRelay relay =
        knowing("a", (message, waited) -> DeliveryResult.retryAfterUncounted(Duration.ZERO));
    publishUnknown("k");
    relay.drain();
    for (int i = 0; i < 9; i++) {
      scene.clock().advance(Duration.ofMillis(100));
      relay.drain();
    }
    assertThat(asked).hasSize(1);
    relay.pass(Duration.ofSeconds(3));

    assertThat(asked).hasSize(4);
  }

  @Test
  void aTimeOfTheClockIsKept() {
    SteppedRelay relay =
        knowing(
            "a",
            (message, waited) ->
                DeliveryResult.retryAt(scene.clock().instant().plus(Duration.ofSeconds(45))));
    publishUnknown("k");
    relay.drain();
    relay.pass(Duration.ofSeconds(44));
    assertThat(asked).hasSize(1);
    relay.pass(Duration.ofSeconds(2));

    assertThat(asked).last().isEqualTo("unknown 45 of 120");
  }

  @Test
  void aPolicyThatThrowsOrReturnsNothingLeavesItToTheDefault() {
    SteppedRelay relay =
        knowing(
            "a",
            (message, waited) -> {
              if (waited.isZero()) {
                throw new NoClassDefFoundError("policy");
              }
              return null;
            });
    publishUnknown("k");
    relay.drain();
    relay.pass(Duration.ofSeconds(119));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    relay.pass(Duration.ofSeconds(2));

    assertThat(scene.rows().dead()).extracting(dead -> dead.error()).hasSize(1);
    assertThat(scene.rows().dead().get(0).error()).contains("no live instance had a handler");
  }

  // --- undecodable payloads

  private SteppedRelay undecoding(Function<Delivery, DeliveryResult> undecodable) {
    UnreadableMessages policy =
        new UnreadableMessages() {
          @Override
          public DeliveryResult undecodable(Delivery delivery, Throwable cause) {
            asked.add(delivery.attempt() + " " + cause.getMessage());
            return undecodable.apply(delivery);
          }
        };
    return scene.relay(
        "a",
        builder ->
            builder
                .handler("h", "t", Integer.class, (number, delivery) -> {})
                .unreadableMessages(policy)
                .relay(r -> r.retry(RetryPolicy.fixed(Duration.ofSeconds(1), 3))));
  }

  @Test
  void anUndecodablePayloadCanBeIgnored() {
    SteppedRelay relay = undecoding(delivery -> DeliveryResult.ignored());
    relay.publish(message("t", "k", "x"));
    relay.drain();

    assertThat(asked).singleElement().asString().startsWith("1 no codec to decode");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    relay.log().assertNothingDelivered();
  }

  @Test
  void anUndecodablePayloadCanBeGivenUpWithAReason() {
    SteppedRelay relay = undecoding(delivery -> DeliveryResult.dead("broken"));
    relay.publish(message("t", "k", "x"));
    relay.drain();

    assertThat(scene.rows().dead()).extracting(dead -> dead.error()).containsExactly("broken");
    assertThat(relay.log().dead()).hasSize(1);
  }

  @Test
  void anUndecodablePayloadCanBlockItsLane() {
    SteppedRelay relay = undecoding(delivery -> DeliveryResult.blockLane("look at it"));
    relay.publish(message("t", "k", "x"));
    relay.drain();

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1).laneIsBlocked("h", "k");
  }

  @Test
  void aRetryThatDoesNotCountGoesOnForAsLongAsThePolicyWants() {
    SteppedRelay relay =
        undecoding(delivery -> DeliveryResult.retryAfterUncounted(Duration.ofSeconds(1)));
    relay.publish(message("t", "k", "x"));
    relay.drain();
    relay.pass(Duration.ofSeconds(5));

    assertThat(asked).hasSize(6).allMatch(question -> question.startsWith("1 "));
    assertThat(scene.rows().deferred()).extracting(row -> row.attempts()).containsExactly(0);
  }

  @Test
  void aRetryThatCountsEndsWithTheAttemptsOfTheRetryPolicy() {
    SteppedRelay relay = undecoding(delivery -> DeliveryResult.retryAfter(Duration.ofSeconds(1)));
    relay.publish(message("t", "k", "x"));
    relay.drain();
    relay.pass(Duration.ofSeconds(5));

    assertThat(asked).hasSize(3);
    assertThat(scene.rows().dead()).extracting(dead -> dead.attempts()).containsExactly(3);
  }

  @Test
  void aPolicyThatThrowsLeavesItToTheDefault() {
    SteppedRelay relay =
        undecoding(
            delivery -> {
              throw new IllegalStateException("policy");
            });
    relay.publish(message("t", "k", "x"));
    relay.drain();

    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(dead -> assertThat(dead.error()).contains("no codec to decode"));
  }

  @Test
  void inABatchThoseBehindAnUndecodableOneWaitForWhatIsDecided() {
    List<String> handled = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.batch(
                            "h",
                            "t",
                            String.class,
                            10,
                            batch -> batch.items().forEach(item -> handled.add(item.payload()))))
                    .upcaster(
                        "t",
                        envelope -> {
                          if (envelope.headers().containsKey("bad") && asked.size() < 2) {
                            throw new IllegalStateException("not yet");
                          }
                          return envelope.payload();
                        })
                    .unreadableMessages(
                        new UnreadableMessages() {
                          @Override
                          public DeliveryResult undecodable(Delivery delivery, Throwable cause) {
                            asked.add("asked");
                            return DeliveryResult.retryAfterUncounted(Duration.ofSeconds(1));
                          }
                        }));
    relay.publish(
        io.posthorn.Message.of("t").key("k").header("bad", "1").payload("1").build(),
        message("t", "k", "2"),
        message("t", "l", "3"));
    relay.drain();
    assertThat(handled).containsExactly("3");
    relay.pass(Duration.ofSeconds(2));

    assertThat(handled).containsExactly("3", "1", "2");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
