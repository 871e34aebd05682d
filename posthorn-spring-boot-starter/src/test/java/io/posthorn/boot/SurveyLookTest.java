/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Survey;
import io.posthorn.spi.StoreException;
import io.posthorn.test.MutableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SurveyLookTest {
  private static final Survey NOTHING =
      new Survey(Instant.EPOCH, List.of(), List.of(), List.of(), Duration.ZERO, 1, false);

  private final MutableClock clock = new MutableClock();
  private final AtomicInteger taken = new AtomicInteger();

  @Test
  void howeverOftenItIsAskedForItIsTakenOnceInAWhile() {
    SurveyLook look =
        new SurveyLook(
            () -> {
              taken.incrementAndGet();
              return NOTHING;
            },
            clock.ticker());
    for (int ask = 0; ask < 1_000; ask++) {
      assertThat(look.get().survey()).isSameAs(NOTHING);
    }
    assertThat(taken).hasValue(1);

    clock.advance(SurveyLook.FRESH);
    look.get();
    assertThat(taken).hasValue(2);
  }

  @Test
  void aFailureIsRememberedForAWhileToo() {
    SurveyLook look =
        new SurveyLook(
            () -> {
              if (taken.incrementAndGet() == 1) {
                throw StoreException.unavailable("the database is away", null);
              }
              return NOTHING;
            },
            clock.ticker());
    assertThat(look.get().problem()).contains("the database is away");
    assertThat(look.get().problem()).contains("the database is away");
    assertThat(taken).hasValue(1);

    clock.advance(SurveyLook.FRESH);
    assertThat(look.get().problem()).isNull();
  }

  @Test
  void whileASurveyHangsOthersDoNotWaitAndHearOfItAfterAWhile() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    SurveyLook look =
        new SurveyLook(
            () -> {
              if (taken.incrementAndGet() == 2) {
                hanging.countDown();
                await(release);
              }
              return NOTHING;
            },
            clock.ticker());
    look.get();
    clock.advance(SurveyLook.FRESH);
    CompletableFuture<SurveyLook.Look> slow = CompletableFuture.supplyAsync(look::get);
    await(hanging);

    assertThat(look.get().survey()).isSameAs(NOTHING);
    clock.advance(SurveyLook.HANGS);
    assertThat(look.get().problem()).isEqualTo("a survey has been under way for PT10S");

    release.countDown();
    assertThat(slow.get(20, TimeUnit.SECONDS).survey()).isSameAs(NOTHING);
    assertThat(look.get().problem()).isNull();
    assertThat(taken).hasValue(2);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
