/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot go on; the message says why and what to do, without credentials. */
final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    this(message, null);
  }

  DemoException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
