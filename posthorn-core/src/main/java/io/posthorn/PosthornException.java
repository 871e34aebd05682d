/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * The root of every exception that Posthorn throws.
 *
 * @since 0.1
 */
public class PosthornException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PosthornException(String message) {
    super(message);
  }

  /**
   * @param cause null if there is none
   */
  public PosthornException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
