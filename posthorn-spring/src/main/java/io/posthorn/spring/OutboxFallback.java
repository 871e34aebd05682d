/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Delivery;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method the fallback of the {@link OutboxHandler} methods of its bean that have the same
 * payload class. It is called when their attempts are used up or the failure is not to be retried.
 * Returning settles the message as delivered; throwing makes it a dead letter.
 *
 * <p>It takes the payload and, if it likes, the {@link Delivery} and the {@link Throwable} that the
 * last attempt threw. It returns nothing.
 *
 * @since 0.1
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxFallback {
  /**
   * The name of the one handler it belongs to, or the name of that handler's method. Such a
   * fallback goes before one without a name. Empty: all with its payload class.
   */
  String handler() default "";
}
