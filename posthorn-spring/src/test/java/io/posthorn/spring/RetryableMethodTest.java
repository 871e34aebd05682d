/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.RetryPolicy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // handlers are called by reflection
class RetryableMethodTest {
  private static final Exception ANY = new IllegalStateException("any");

  private final HandlerScene scene = new HandlerScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private RetryPolicy policyOf(Class<?> beanClass) {
    scene.bean("mailer", beanClass).start();
    return scene.spec().retry().orElseThrow();
  }

  private static Duration[] delays(RetryPolicy policy) {
    return IntStream.range(1, policy.maxAttempts())
        .mapToObj(attempts -> policy.delayAfter(attempts, ANY).orElseThrow())
        .toArray(Duration[]::new);
  }

  private record Delivered(Notes notes) {
    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 3, delay = "2s", multiplier = 1)
    void on(String payload) {
      notes.add(payload);
      throw new IllegalStateException("no answer");
    }
  }

  @Test
  void aFailedDeliveryIsTriedAgainAsTheAnnotationSays() {
    scene.bean("mailer", Delivered.class).start();

    scene.deliver("t", "1");
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.notes()).hasSize(1);
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.notes()).hasSize(2);
    scene.pass(Duration.ofSeconds(2));
    assertThat(scene.notes()).hasSize(3);

    assertThat(scene.rows().dead()).extracting("attempts").containsExactly(3);
  }

  private record Standard() {
    @OutboxHandler(type = "t")
    @OutboxRetryable
    void on(String payload) {}
  }

  @Test
  void whatIsLeftOutIsAsInTheStandardPolicy() {
    RetryPolicy policy = policyOf(Standard.class);

    assertThat(delays(policy)).containsExactly(delays(RetryPolicy.standard()));
  }

  private record Growing() {
    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 5, delay = "${first}", multiplier = 3, maxDelay = "PT10S")
    void on(String payload) {}
  }

  @Test
  void theDelayGrowsUpToTheMaximum() {
    scene.properties(Map.of("first", "1s"));

    assertThat(delays(policyOf(Growing.class)))
        .containsExactly(
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(9),
            Duration.ofSeconds(10));
  }

  private record Fixed() {
    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 3, delay = "5m", multiplier = 1)
    void on(String payload) {}
  }

  @Test
  void aFixedDelayMayBeLongerThanTheMaximumThatItDoesNotUse() {
    assertThat(delays(policyOf(Fixed.class)))
        .containsExactly(Duration.ofMinutes(5), Duration.ofMinutes(5));
  }

  private record Jittering() {
    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 1000, delay = "1s", multiplier = 1, jitter = 0.5)
    void on(String payload) {}
  }

  @Test
  void jitterSpreadsTheDelays() {
    assertThat(delays(policyOf(Jittering.class)))
        .allSatisfy(
            delay -> assertThat(delay).isBetween(Duration.ofMillis(500), Duration.ofMillis(1500)))
        .anySatisfy(delay -> assertThat(delay).isLessThan(Duration.ofMillis(900)))
        .anySatisfy(delay -> assertThat(delay).isGreaterThan(Duration.ofMillis(1100)));
  }

  private record Including() {
    @OutboxHandler(type = "t")
    @OutboxRetryable(retryOn = IOException.class)
    void on(String payload) {}
  }

  @Test
  void onlyTheFailuresThatAreNamedAreRetried() {
    RetryPolicy policy = policyOf(Including.class);

    assertThat(policy.delayAfter(1, new FileNotFoundException())).isPresent();
    assertThat(policy.delayAfter(1, ANY)).isEmpty();
  }

  private record Excluding() {
    @OutboxHandler(type = "t")
    @OutboxRetryable(noRetryOn = {IOException.class, IllegalArgumentException.class})
    void on(String payload) {}
  }

  @Test
  void theFailuresThatAreExcludedAreNotRetried() {
    RetryPolicy policy = policyOf(Excluding.class);

    assertThat(policy.delayAfter(1, new FileNotFoundException())).isEmpty();
    assertThat(policy.delayAfter(1, new NumberFormatException())).isEmpty();
    assertThat(policy.delayAfter(1, ANY)).isPresent();
  }

  @OutboxRetryable(maxAttempts = 7)
  private record OfClass() {
    @OutboxHandler(type = "t")
    void on(String payload) {}

    @OutboxHandler(type = "t")
    @OutboxRetryable(maxAttempts = 2)
    void other(String payload) {}
  }

  @Test
  void thatOfTheClassServesMethodsWithoutTheirOwn() {
    scene.bean("mailer", OfClass.class).start();

    assertThat(scene.specs())
        .extracting(spec -> spec.name() + " " + spec.retry().map(RetryPolicy::maxAttempts))
        .containsExactlyInAnyOrder("mailer.on " + Optional.of(7), "mailer.other " + Optional.of(2));
  }

  @OutboxRetryable
  static class ForSubclasses {}

  static class WithoutHandlers extends ForSubclasses {}

  @Test
  void thatOfASuperclassIsNoMistakeInAClassWithoutHandlers() {
    scene.bean("plain", WithoutHandlers.class).bean("mailer", Standard.class).start();

    assertThat(scene.spec().name()).isEqualTo("mailer.on");
  }
}
