/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.RetryPolicy;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says how failed deliveries of an {@link OutboxHandler} method are retried; on a class, those of
 * all its handlers that do not say it themselves. It replaces the retry policies of the type and of
 * the relay. What is left out is as in {@link RetryPolicy#standard}.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxRetryable {
  /** How often a message is tried at the most, the first delivery included. */
  int maxAttempts() default 10;

  /** The time after the first attempt: {@code "200ms"}, {@code "5s"}, {@code "PT5S"}. */
  String delay() default "200ms";

  /** By how much the delay grows with each attempt; 1: it stays the same. */
  double multiplier() default 2;

  /** The delay grows up to this; not used if the multiplier is 1. */
  String maxDelay() default "1m";

  /** Draws each delay from between this fraction less and this fraction more; from 0 to 1. */
  double jitter() default 0;

  /** Only failures of these classes are retried. What was thrown is looked at, not its causes. */
  Class<? extends Throwable>[] retryOn() default {};

  /** Failures of these classes are not retried. Not together with {@link #retryOn}. */
  Class<? extends Throwable>[] noRetryOn() default {};
}
