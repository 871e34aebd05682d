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
  void nonsenseIsRefusedWithWhatIsNeeded() {
    Duration second = Duration.ofSeconds(1);

    assertThatThrownBy(() -> RetryPolicy.exponential(second.negated(), second, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-1S")
        .hasMessageContaining("0 <= initial <= maximum");
    assertThatThrownBy(() -> RetryPolicy.exponential(second, second.minusNanos(1), 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RetryPolicy.exponential(second, second, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1 attempt");
  }
}
