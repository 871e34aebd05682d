/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private static final Exception CAUSE = new Exception("no");

  private static List<Optional<Duration>> delays(RetryPolicy policy, int attempts) {
    return IntStream.rangeClosed(1, attempts)
        .mapToObj(attempt -> policy.delayAfter(attempt, CAUSE))
        .toList();
  }

  private static Optional<Duration> millis(long millis) {
    return Optional.of(Duration.ofMillis(millis));
  }

  private static Optional<Duration> nanos(long nanos) {
    return Optional.of(Duration.ofNanos(nanos));
  }

  @Test
  void theDelayDoublesWithEachAttemptUpToTheMaximumAndEndsWithTheLastAttempt() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofMillis(200), Duration.ofMillis(1500), 6);

    assertThat(delays(policy, 7))
        .containsExactly(
            millis(200),
            millis(400),
            millis(800),
            millis(1500),
            millis(1500),
            Optional.empty(),
            Optional.empty());
  }

  @Test
  void theStandardPolicyTriesTenTimesAndWaitsAtMostAMinute() {
    List<Optional<Duration>> delays = delays(RetryPolicy.standard(), 10);

    assertThat(delays.get(0)).isEqualTo(millis(200));
    assertThat(delays.get(8)).isEqualTo(millis(51_200));
    assertThat(delays.get(9)).isEmpty();
  }

  @Test
  void oneAttemptMeansNoRetry() {
    assertThat(RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1).delayAfter(1, CAUSE))
        .isEmpty();
  }

  @Test
  void manyAttemptsDoNotOverflow() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofNanos(3), Duration.ofDays(36_500), Integer.MAX_VALUE);

    for (int attempt : new int[] {62, 63, 64, 65, 128, 1_000, Integer.MAX_VALUE - 1}) {
      assertThat(policy.delayAfter(attempt, CAUSE))
          .as("after attempt %d", attempt)
          .contains(Duration.ofDays(36_500));
    }
  }

  @Test
  void aMaximumBeyondWhatNanosecondsCanCountIsRefusedWithAReason() {
    Duration forever = ChronoUnit.FOREVER.getDuration();

    assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ZERO, forever, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 100 years");
  }

  @Test
  void aFixedDelayIsTheSameAfterEachAttempt() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofNanos(1_500_000_001), 4);

    assertThat(delays(policy, 5))
        .containsExactly(
            nanos(1_500_000_001),
            nanos(1_500_000_001),
            nanos(1_500_000_001),
            Optional.empty(),
            Optional.empty());
  }

  @Test
  void aLinearDelayGrowsByItsStepUpToTheMaximum() {
    RetryPolicy policy =
        RetryPolicy.linear(
            Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(700), 6);

    assertThat(delays(policy, 7))
        .containsExactly(
            millis(100),
            millis(350),
            millis(600),
            millis(700),
            millis(700),
            Optional.empty(),
            Optional.empty());
  }

  @Test
  void aLinearDelayReachesItsMaximumExactlyAndStaysThere() {
    RetryPolicy policy =
        RetryPolicy.linear(
            Duration.ofNanos(1), Duration.ofNanos(1), Duration.ofNanos(1_000), 5_000);

    for (int attempt = 1; attempt < 5_000; attempt++) {
      assertThat(policy.delayAfter(attempt, CAUSE))
          .as("after attempt %d", attempt)
          .isEqualTo(nanos(Math.min(attempt, 1_000)));
    }
  }

  @Test
  void aMultiplierIsTakenAsTheDecimalNumberItIs() {
    assertThat(
            delays(
                RetryPolicy.exponential(Duration.ofMillis(200), 1.5, Duration.ofMillis(2_000), 9),
                9))
        .containsExactly(
            millis(200),
            millis(300),
            millis(450),
            millis(675),
            nanos(1_012_500_000),
            nanos(1_518_750_000),
            millis(2_000),
            millis(2_000),
            Optional.empty());
    assertThat(
            delays(
                RetryPolicy.exponential(
                    Duration.ofSeconds(100), 1.1, RetryPolicy.LONGEST_DELAY, 100),
                7))
        .containsExactly(
            nanos(100_000_000_000L),
            nanos(110_000_000_000L),
            nanos(121_000_000_000L),
            nanos(133_100_000_000L),
            nanos(146_410_000_000L),
            nanos(161_051_000_000L),
            nanos(177_156_100_000L));
  }

  @Test
  void halfANanosecondIsRoundedUp() {
    assertThat(delays(RetryPolicy.exponential(Duration.ofNanos(1), 1.5, Duration.ofNanos(9), 9), 8))
        .containsExactly(
            nanos(1), nanos(2), nanos(2), nanos(3), nanos(5), nanos(8), nanos(9), nanos(9));
  }

  @Test
  void aMultiplierOfOneKeepsTheDelayForEver() {
    RetryPolicy policy =
        RetryPolicy.exponential(
            Duration.ofMillis(7), 1, RetryPolicy.LONGEST_DELAY, Integer.MAX_VALUE);

    assertThat(policy.delayAfter(Integer.MAX_VALUE - 1, CAUSE)).isEqualTo(millis(7));
  }

  @Test
  void noDelayDoesNotGrow() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ZERO, 1e300, RetryPolicy.LONGEST_DELAY, Integer.MAX_VALUE);

    assertThat(policy.delayAfter(1, CAUSE)).contains(Duration.ZERO);
    assertThat(policy.delayAfter(Integer.MAX_VALUE - 1, CAUSE)).contains(Duration.ZERO);
  }

  @Test
  void noSettingOverflowsAtTheLastAttempts() {
    Duration longest = RetryPolicy.LONGEST_DELAY;
    int all = Integer.MAX_VALUE;
    List<RetryPolicy> policies =
        List.of(
            RetryPolicy.fixed(longest, all),
            RetryPolicy.linear(longest.minusNanos(1), Duration.ofNanos(1), longest, all),
            RetryPolicy.linear(Duration.ZERO, longest, longest, all),
            RetryPolicy.exponential(longest.minusNanos(1), longest, all),
            RetryPolicy.exponential(Duration.ofNanos(1), Double.MAX_VALUE, longest, all),
            RetryPolicy.exponential(Duration.ofNanos(1), 1.0001, longest, all));

    for (RetryPolicy policy : policies) {
      assertThat(policy.delayAfter(all - 1, CAUSE)).contains(longest);
      assertThat(policy.delayAfter(all, CAUSE)).isEmpty();
    }
    assertThat(
            RetryPolicy.linear(Duration.ZERO, Duration.ofNanos(1), longest, all)
                .delayAfter(all - 1, CAUSE))
        .isEqualTo(nanos(all - 2L));
    assertThat(RetryPolicy.exponential(Duration.ofDays(18_250), longest, all).delayAfter(2, CAUSE))
        .contains(longest);
  }

  @Test
  void onceMoreThanHalfTheMaximumIsReachedTheNextDoublingIsTheMaximum() {
    Duration maximum = RetryPolicy.LONGEST_DELAY;
    RetryPolicy policy = RetryPolicy.exponential(Duration.ofNanos(1), maximum, Integer.MAX_VALUE);

    for (int attempt = 1; attempt <= 62; attempt++) {
      assertThat(policy.delayAfter(attempt, CAUSE)).isEqualTo(nanos(1L << (attempt - 1)));
    }
    assertThat(policy.delayAfter(63, CAUSE)).contains(maximum);
  }

  @Test
  void noneGivesUpAtOnce() {
    assertThat(RetryPolicy.none().delayAfter(1, CAUSE)).isEmpty();
    assertThat(RetryPolicy.none().maxAttempts()).isEqualTo(1);
  }

  @Test
  void theMaximumOfAttemptsIsToldAndCanBeChanged() {
    RetryPolicy own = (attempts, cause) -> Optional.empty();

    assertThat(RetryPolicy.standard().maxAttempts()).isEqualTo(10);
    assertThat(RetryPolicy.standard().maxAttempts(2).maxAttempts()).isEqualTo(2);
    assertThat(RetryPolicy.standard().maxAttempts(2).delayAfter(2, CAUSE)).isEmpty();
    assertThat(own.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
    assertThatThrownBy(() -> RetryPolicy.standard().maxAttempts(0))
        .hasMessage("maxAttempts was 0 but must be 1 or more");
  }

  @Test
  void jitterDrawsFromBothSidesOfTheDelay() {
    RetryPolicy.Backoff policy = RetryPolicy.fixed(Duration.ofSeconds(1), 3).jitter(0.25);

    assertThat(policy.random(() -> 0).delayAfter(1, CAUSE)).isEqualTo(millis(750));
    assertThat(policy.random(() -> 0.5).delayAfter(1, CAUSE)).isEqualTo(millis(1_000));
    assertThat(policy.random(() -> Math.nextDown(1.0)).delayAfter(1, CAUSE))
        .isEqualTo(millis(1_250));
  }

  @Test
  void jitterNeverPassesTheMaximumNorWhatCanBeCounted() {
    double most = Math.nextDown(1.0);
    RetryPolicy.Backoff capped =
        RetryPolicy.exponential(Duration.ofMillis(800), Duration.ofMillis(1_000), 9).jitter(0.5);
    RetryPolicy.Backoff longest = RetryPolicy.fixed(RetryPolicy.LONGEST_DELAY, 9).jitter(1);

    assertThat(capped.random(() -> most).delayAfter(1, CAUSE)).isEqualTo(millis(1_000));
    assertThat(capped.random(() -> 0.5).delayAfter(2, CAUSE)).isEqualTo(millis(750));
    assertThat(longest.random(() -> most).delayAfter(1, CAUSE).orElseThrow())
        .isBetween(RetryPolicy.LONGEST_DELAY.minusSeconds(1), RetryPolicy.LONGEST_DELAY);
    assertThat(longest.random(() -> 0).delayAfter(1, CAUSE)).contains(Duration.ZERO);
  }

  @Test
  void drawnDelaysAreSpreadOverTheWholeRange() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(10), 3).jitter(0.5);

    List<Long> drawn =
        IntStream.range(0, 1_000)
            .mapToObj(i -> policy.delayAfter(1, CAUSE).orElseThrow().toMillis())
            .toList();

    assertThat(drawn).allMatch(delay -> delay >= 5_000 && delay <= 15_000);
    assertThat(drawn).anyMatch(delay -> delay < 7_000).anyMatch(delay -> delay > 13_000);
  }

  @Test
  void noJitterDrawsNothing() {
    RetryPolicy policy =
        RetryPolicy.standard()
            .jitter(0)
            .random(
                () -> {
                  throw new AssertionError("drawn");
                });

    assertThat(policy.delayAfter(1, CAUSE)).isEqualTo(millis(200));
  }

  @Test
  void nonsenseIsRefusedWithTheCallAndWhatIsNeeded() {
    Duration second = Duration.ofSeconds(1);
    Duration tooLong = RetryPolicy.LONGEST_DELAY.plusNanos(1);

    assertRefused(
        () -> RetryPolicy.exponential(second.negated(), second, 3),
        "retry was exponential(PT-1S, PT1S, 3) but needs 0 <= initial <= maximum and at least 1 attempt");
    assertRefused(
        () -> RetryPolicy.exponential(second, second.minusNanos(1), 3),
        "retry was exponential(PT1S, PT0.999999999S, 3) but needs 0 <= initial <= maximum and at least 1 attempt");
    assertRefused(
        () -> RetryPolicy.exponential(second, second, 0),
        "retry was exponential(PT1S, PT1S, 0) but needs 0 <= initial <= maximum and at least 1 attempt");
    assertRefused(
        () -> RetryPolicy.exponential(second, 0.99, second, 3),
        "retry was exponential(PT1S, 0.99, PT1S, 3) but multiplier must be a number of 1 or more");
    assertRefused(
        () -> RetryPolicy.exponential(second, Double.NaN, second, 3),
        "retry was exponential(PT1S, NaN, PT1S, 3) but multiplier must be a number of 1 or more");
    assertRefused(
        () -> RetryPolicy.exponential(second, Double.POSITIVE_INFINITY, second, 3),
        "retry was exponential(PT1S, Infinity, PT1S, 3) but multiplier must be a number of 1 or more");
    assertRefused(
        () -> RetryPolicy.fixed(second.negated(), 3),
        "retry was fixed(PT-1S, 3) but needs 0 <= delay and at least 1 attempt");
    assertRefused(
        () -> RetryPolicy.fixed(second, -1),
        "retry was fixed(PT1S, -1) but needs 0 <= delay and at least 1 attempt");
    assertRefused(
        () -> RetryPolicy.fixed(tooLong, 3),
        "retry was fixed(PT876000H0.000000001S, 3) but delay must be at most 100 years");
    assertRefused(
        () -> RetryPolicy.linear(second, second.negated(), second, 3),
        "retry was linear(PT1S, PT-1S, PT1S, 3) but step must be between 0 and 100 years");
    assertRefused(
        () -> RetryPolicy.linear(second, tooLong, second, 3),
        "retry was linear(PT1S, PT876000H0.000000001S, PT1S, 3) but step must be between 0 and 100 years");
    assertRefused(
        () -> RetryPolicy.linear(second, second, tooLong, 3),
        "retry was linear(PT1S, PT1S, PT876000H0.000000001S, 3) but maximum must be at most 100 years");
    assertRefused(
        () -> RetryPolicy.standard().jitter(1.01), "jitter was 1.01 but must be between 0 and 1");
    assertRefused(
        () -> RetryPolicy.standard().jitter(Double.NaN),
        "jitter was NaN but must be between 0 and 1");
    assertRefused(
        () -> RetryPolicy.standard().jitter(-0.1), "jitter was -0.1 but must be between 0 and 1");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
