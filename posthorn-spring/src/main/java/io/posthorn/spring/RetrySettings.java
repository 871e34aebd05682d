/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;

/** Makes a retry policy of an annotation, or tells all that is wrong with it. */
final class RetrySettings {
  private final OutboxRetryable settings;
  private final String where;
  private final List<String> problems = new ArrayList<>();
  private final AnnotationTexts texts;

  /**
   * @param where names the method or class that carries the annotation
   */
  RetrySettings(OutboxRetryable settings, String where, BeanFactory beans) {
    this.settings = settings;
    this.where = " in @OutboxRetryable of " + where;
    this.texts = new AnnotationTexts(beans, problems);
  }

  List<String> problems() {
    return problems;
  }

  /** Empty if there are problems. */
  Optional<RetryPolicy> policy() {
    Duration delay = texts.duration("delay" + where, settings.delay()).orElse(Duration.ZERO);
    Duration maxDelay = texts.duration("maxDelay" + where, settings.maxDelay()).orElse(delay);
    checkNumbers();
    boolean fixed = settings.multiplier() == 1;
    require(
        fixed || delay.compareTo(maxDelay) <= 0,
        "delay",
        settings.delay(),
        "must not be longer than maxDelay (" + settings.maxDelay() + "); set that too");
    require(
        settings.retryOn().length == 0 || settings.noRetryOn().length == 0,
        "retryOn",
        "set",
        "noRetryOn was set too and would have no effect; choose one");
    return problems.isEmpty()
        ? Optional.of(
            (fixed
                    ? RetryPolicy.fixed(delay, settings.maxAttempts())
                    : RetryPolicy.exponential(
                        delay, settings.multiplier(), maxDelay, settings.maxAttempts()))
                .jitter(settings.jitter())
                .retryOn(settings.retryOn())
                .noRetryOn(settings.noRetryOn()))
        : Optional.empty();
  }

  private void checkNumbers() {
    int attempts = settings.maxAttempts();
    require(attempts >= 1, "maxAttempts", attempts, "must be at least 1");
    double multiplier = settings.multiplier();
    require(
        multiplier >= 1 && multiplier < Double.POSITIVE_INFINITY,
        "multiplier",
        multiplier,
        "must be a number of 1 or more");
    double jitter = settings.jitter();
    require(jitter >= 0 && jitter <= 1, "jitter", jitter, "must be between 0 and 1");
  }

  private void require(boolean holds, String attribute, Object value, String rule) {
    if (!holds) {
      problems.add("%s%s was %s but %s".formatted(attribute, where, value, rule));
    }
  }
}
