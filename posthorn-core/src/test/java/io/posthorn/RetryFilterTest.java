/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which failures are retried. */
class RetryFilterTest {
  private static final RetryPolicy.Backoff ALL = RetryPolicy.fixed(Duration.ofSeconds(1), 3);

  private static boolean retries(RetryPolicy policy, Throwable failure) {
    return policy.delayAfter(1, failure).isPresent();
  }

  @Test
  void everyFailureIsRetriedIfNothingIsSaid() {
    assertThat(retries(ALL, new IOException())).isTrue();
    assertThat(retries(ALL, new StackOverflowError())).isTrue();
  }

  @Test
  void onlyListedClassesAndTheirSubclassesAreRetried() {
    RetryPolicy policy = ALL.retryOn(IOException.class, IllegalStateException.class);

    assertThat(retries(policy, new IOException())).isTrue();
    assertThat(retries(policy, new FileNotFoundException())).isTrue();
    assertThat(retries(policy, new IllegalStateException())).isTrue();
    assertThat(retries(policy, new RuntimeException())).isFalse();
  }

  @Test
  void excludedClassesAreNotRetriedAndAllOthersAre() {
    RetryPolicy policy = ALL.noRetryOn(IOException.class);

    assertThat(retries(policy, new FileNotFoundException())).isFalse();
    assertThat(retries(policy, new RuntimeException())).isTrue();
  }

  @Test
  void aListedIncludeWinsOverAnExclude() {
    RetryPolicy policy = ALL.noRetryOn(IOException.class).retryOn(FileNotFoundException.class);

    assertThat(retries(policy, new FileNotFoundException())).isTrue();
    assertThat(retries(policy, new IOException())).isFalse();
    assertThat(retries(policy, new RuntimeException())).as("not listed").isFalse();
  }

  @Test
  void predicatesCountAsClassesDo() {
    RetryPolicy.Backoff included =
        ALL.retryIf(failure -> failure.getCause() instanceof IOException);
    assertThat(retries(included, new RuntimeException(new IOException()))).isTrue();
    assertThat(retries(included, new RuntimeException())).isFalse();

    RetryPolicy either = included.noRetryOn(RuntimeException.class);
    assertThat(retries(either, new RuntimeException(new IOException()))).isTrue();

    RetryPolicy excluded = ALL.noRetryIf(failure -> "no".equals(failure.getMessage()));
    assertThat(retries(excluded, new IOException("no"))).isFalse();
    assertThat(retries(excluded, new IOException("yes"))).isTrue();
  }

  @Test
  void aClassOrAPredicateIsEnoughToBeIncluded() {
    RetryPolicy policy =
        ALL.retryOn(IOException.class).retryIf(failure -> "again".equals(failure.getMessage()));

    assertThat(retries(policy, new IOException("x"))).isTrue();
    assertThat(retries(policy, new Error("again"))).isTrue();
    assertThat(retries(policy, new Error("x"))).isFalse();
  }

  @Test
  void whatWasThrownIsLookedAtAndNotItsCauses() {
    RuntimeException wrapped = new RuntimeException(new IOException());

    assertThat(retries(ALL.retryOn(IOException.class), wrapped)).isFalse();
    assertThat(retries(ALL.noRetryOn(IOException.class), wrapped)).isTrue();
  }

  @Test
  void aFilterDoesNotRaiseTheAttempts() {
    RetryPolicy policy = ALL.retryOn(IOException.class);

    assertThat(policy.delayAfter(2, new IOException())).isPresent();
    assertThat(policy.delayAfter(3, new IOException())).isEmpty();
  }

  @Test
  void aPolicyIsNotChangedByWhatIsMadeOfIt() {
    RetryPolicy.Backoff original = ALL.noRetryOn(IOException.class);

    original.retryOn(IOException.class);
    original.maxAttempts(1);
    original.jitter(1);

    assertThat(retries(original, new IOException())).isFalse();
    assertThat(original.delayAfter(1, new Error())).contains(Duration.ofSeconds(1));
  }
}
