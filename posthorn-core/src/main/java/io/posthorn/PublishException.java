/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * Messages were not published, and nothing was stored. The caller's transaction can still be rolled
 * back or go on without them; its message says what to change.
 *
 * @since 0.1
 */
public final class PublishException extends PosthornException {
  private static final long serialVersionUID = 1L;

  public PublishException(String message) {
    super(message);
  }

  /**
   * @param cause null if there is none
   */
  public PublishException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
