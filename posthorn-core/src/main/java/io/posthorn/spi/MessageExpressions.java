/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.OutboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the expressions of {@link OutboxMessage}. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface MessageExpressions {
  /**
   * The value of an expression as text, or null if it has none.
   *
   * @param expression of a key or header, never empty
   * @param payload of a class that carries the annotation
   * @throws RuntimeException if it cannot be evaluated, or has no text; nothing is published, and
   *     the caller is told the class and the expression together with this reason
   */
  @Nullable String evaluate(String expression, Object payload);
}
