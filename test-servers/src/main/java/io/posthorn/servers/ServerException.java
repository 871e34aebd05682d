/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import org.jspecify.annotations.Nullable;

/** A server could not be unpacked, started, reached or stopped; the message says what to do. */
public final class ServerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ServerException(String message) {
    super(message);
  }

  ServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
