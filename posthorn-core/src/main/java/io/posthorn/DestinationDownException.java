/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * The destination of a handler cannot be reached. Thrown by a handler, it costs the message no
 * attempt: the handler's circuit opens, its messages wait, and single ones are tried until one gets
 * through.
 *
 * @since 0.1
 */
public class DestinationDownException extends PosthornException {
  private static final long serialVersionUID = 1L;

  /**
   * @param cause null if there is none
   */
  public DestinationDownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
