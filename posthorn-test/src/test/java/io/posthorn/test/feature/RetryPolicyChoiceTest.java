/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which policy counts, and that the relay keeps its times. */
class RetryPolicyChoiceTest {
  private static final Handler<String> FAILING =
      (payload, delivery) -> {
        throw new IOException("no");
      };

  private final Scene scene = new Scene(1);

  @AfterEach
  void stop() {
    scene.close();
  }

  private static RetryPolicy.Backoff attempts(int attempts) {
    return RetryPolicy.fixed(Duration.ofSeconds(1), attempts);
  }

  /** How often a message of the type is tried before it is a dead letter. */
  private int attemptsOf(String type, Consumer<Posthorn.Builder> settings) {
    SteppedRelay relay = scene.relay("a", settings);
    relay.publish(message(type, "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(8));
    assertThat(scene.rows().dead()).hasSize(1);
    return scene.rows().dead().get(0).attempts();
  }

  @Test
  void thePolicyOfTheHandlerComesBeforeThatOfTheTypeAndOfTheRelay() {
    assertThat(
            attemptsOf(
                "t",
                builder ->
                    builder
                        .handler(HandlerSpec.of("h", "t", String.class, FAILING).retry(attempts(2)))
                        .relay(r -> r.retry(attempts(4)).retry("t", attempts(3)))))
        .isEqualTo(2);
  }

  @Test
  void thePolicyOfTheTypeComesBeforeThatOfTheRelay() {
    assertThat(
            attemptsOf(
                "t",
                builder ->
                    builder
                        .handler("h", "t", String.class, FAILING)
                        .relay(r -> r.retry(attempts(4)).retry("t", attempts(3)))))
        .isEqualTo(3);
  }

  @Test
  void thePolicyOfAnotherTypeDoesNotCount() {
    assertThat(
            attemptsOf(
                "t",
                builder ->
                    builder
                        .handler("h", "t", String.class, FAILING)
                        .relay(r -> r.retry(attempts(4)).retry("u", attempts(3)))))
        .isEqualTo(4);
  }

  @Test
  void theTypeIsTheOneThatIsDelivered() {
    assertThat(
            attemptsOf(
                "old",
                builder ->
                    builder
                        .handler("h", "t", String.class, FAILING)
                        .alias("old", "t")
                        .relay(r -> r.retry(attempts(4)).retry("t", attempts(3)))))
        .isEqualTo(3);
  }

  @Test
  void aFailureThatIsNotToBeRetriedIsADeadLetterAtOnce() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("h", "t", String.class, FAILING)
                    .relay(r -> r.retry(attempts(9).noRetryOn(IOException.class))));
    relay.publish(message("t", "k", "1"));
    relay.drain();

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  @Test
  void aLinearPolicyComesOutToTheSecond() {
    List<Long> seconds = new ArrayList<>();
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler(
                        "h",
                        "t",
                        String.class,
                        (payload, delivery) -> {
                          seconds.add(scene.clock().instant().getEpochSecond());
                          throw new IOException("no");
                        })
                    .relay(
                        r ->
                            r.retry(
                                RetryPolicy.linear(
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(2),
                                    Duration.ofSeconds(4),
                                    5))));
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(20));

    long first = seconds.get(0);
    assertThat(seconds).containsExactly(first, first + 1, first + 4, first + 8, first + 12);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  @Test
  void aPolicyOfOnesOwnSeesEachAttemptAndItsCause() {
    List<String> asked = new ArrayList<>();
    RetryPolicy own =
        (attempts, cause) -> {
          asked.add(attempts + " " + cause.getMessage());
          return attempts < 3 ? Optional.of(Duration.ofSeconds(attempts)) : Optional.empty();
        };
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler("h", "t", String.class, FAILING).relay(r -> r.retry("t", own)));
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(5));

    assertThat(asked).containsExactly("1 no", "2 no", "3 no");
    assertThat(relay.log().retrying()).extracting(Delivery::attempt).containsExactly(1, 2);
  }
}
