/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.test.MutableClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SharedOverviewTest {
  private final MutableClock clock = new MutableClock();

  @Test
  @Timeout(20)
  void nobodyWaitsLongForTheFirstOne() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    SharedOverview overview =
        new SharedOverview(
            () -> {
              asked.countDown();
              await(answer);
              return new JsonObject().put("ready", 1);
            },
            clock.ticker(),
            Duration.ofMillis(50));
    CompletableFuture<String> first = CompletableFuture.supplyAsync(overview::json);
    assertThat(asked.await(10, SECONDS)).isTrue();

    assertThatThrownBy(overview::json)
        .isInstanceOfSatisfying(
            RequestProblem.class,
            problem -> assertThat(problem.response().status()).isEqualTo(503));
    answer.countDown();
    assertThat(first.get(10, SECONDS)).isEqualTo("{\"ready\":1}");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(15, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFailureIsSharedAsLongAsAnOverview() {
    AtomicInteger calls = new AtomicInteger();
    SharedOverview overview =
        new SharedOverview(
            () -> {
              if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("database is down");
              }
              return new JsonObject();
            },
            clock.ticker(),
            Duration.ofSeconds(2));

    assertThatThrownBy(overview::json).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(overview::json).isInstanceOf(IllegalStateException.class);
    assertThat(calls).hasValue(1);

    clock.advance(SharedOverview.FRESH);
    assertThat(overview.json()).isEqualTo("{}");
  }
}
