/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.RetryPolicy;
import io.posthorn.cli.config.Section;
import java.time.Duration;
import java.util.Optional;

/** A section {@code retry}: how often, and after which time, a failed message is tried again. */
final class RetryConfig {
  private static final int MAX_ATTEMPTS = 10;
  private static final Duration DELAY = Duration.ofMillis(200);
  private static final Duration MAX_DELAY = Duration.ofMinutes(1);

  private RetryConfig() {}

  /** Empty if it is not set. */
  static Optional<RetryPolicy> of(Section section) {
    return section.section("retry").flatMap(retry -> policy(section, retry));
  }

  private static Optional<RetryPolicy> policy(Section section, Section retry) {
    int attempts = retry.integer("max-attempts").orElse(MAX_ATTEMPTS);
    Duration delay = retry.duration("delay").orElse(DELAY);
    double multiplier = retry.number("multiplier").orElse(2.0);
    Duration longest =
        retry.duration("max-delay").orElse(delay.compareTo(MAX_DELAY) > 0 ? delay : MAX_DELAY);
    Optional<Double> jitter = retry.number("jitter");
    try {
      RetryPolicy.Backoff policy = RetryPolicy.exponential(delay, multiplier, longest, attempts);
      return Optional.of(jitter.isPresent() ? policy.jitter(jitter.get()) : policy);
    } catch (IllegalArgumentException e) {
      section.problem("retry", "is no retry policy: " + e.getMessage());
      return Optional.empty();
    }
  }
}
