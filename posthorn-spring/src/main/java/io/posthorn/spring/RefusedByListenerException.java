/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

/**
 * Rolls back what a listener did for messages that it then refused to the broker: they will come
 * again, and must not count as handled.
 */
final class RefusedByListenerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RefusedByListenerException() {
    super("the listener told the broker that messages were not handled", null, false, false);
  }
}
