/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SurveyTimerTest {
  private long nanos;
  private final SurveyTimer timer = new SurveyTimer(() -> nanos, Duration.ofSeconds(10));

  private void survey(boolean moved, boolean calm) {
    timer.begin();
    timer.untilExpulsion(Duration.ofMinutes(1));
    timer.ended(moved, calm);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void theFirstSurveyIsDueAtOnce() {
    assertThat(timer.isDue()).isTrue();
    assertThat(timer.begin()).as("asked for").isTrue();
    assertThat(timer.isDue()).isFalse();
  }

  @Test
  void intervalsDoubleUpToTheLongestWhileNothingHappens() {
    survey(false, false);
    assertThat(timer.nextIn()).isEqualTo(Duration.ofSeconds(1));
    for (int seconds : new int[] {2, 4, 8, 10, 10}) {
      survey(false, true);
      assertThat(timer.nextIn()).isEqualTo(Duration.ofSeconds(seconds));
    }
    survey(false, false);
    assertThat(timer.nextIn()).as("somebody came").isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anIntervalIsCountedFromTheBeginningOfTheSurvey() {
    survey(false, false);
    pass(Duration.ofMillis(400));
    assertThat(timer.nextIn()).isEqualTo(Duration.ofMillis(600));
    assertThat(timer.isDue()).isFalse();
    pass(Duration.ofMillis(600));
    assertThat(timer.isDue()).isTrue();
    assertThat(timer.begin()).as("asked for").isFalse();
    pass(Duration.ofHours(1));
    assertThat(timer.nextIn()).isZero();
  }

  @Test
  void afterAMoveTheNextOneFollowsAtOnce() {
    survey(true, true);
    assertThat(timer.isDue()).isTrue();
    assertThat(timer.begin()).isTrue();
    timer.ended(false, true);
    assertThat(timer.nextIn()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void itIsDueWhenSomebodyMayHaveToBeExpelled() {
    timer.begin();
    timer.untilExpulsion(Duration.ofMillis(300));
    timer.ended(false, true);
    assertThat(timer.nextIn()).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void aRequestIsNotForgottenBecauseASurveyEndsAtThatMoment() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Thread surveys =
        new Thread(
            () -> {
              while (!over.get()) {
                timer.ended(false, false);
              }
            });
    timer.untilExpulsion(Duration.ofMinutes(1));
    surveys.start();
    int forgotten = 0;
    for (int i = 0; i < 200_000; i++) {
      timer.begin();
      timer.request();
      for (int spin = 0; spin < 10; spin++) {
        Thread.onSpinWait();
      }
      forgotten += timer.isDue() ? 0 : 1;
    }
    over.set(true);
    surveys.join();

    assertThat(forgotten).isZero();
  }
}
