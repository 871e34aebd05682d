/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * A message that will never be taken, however often it is tried: too large, not allowed, of no
 * meaning to its destination. Thrown by a handler or a sender, it passes the retry policy over: the
 * fallback is called, or the message becomes a dead letter.
 *
 * @since 0.1
 */
public class RefusedException extends PosthornException {
  private static final long serialVersionUID = 1L;

  /**
   * @param cause null if there is none
   */
  public RefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
