/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.PosthornException;
import io.posthorn.spi.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that a handler has begun and never ended. The next one on the same thread would
 * join it, and its effects would never be committed.
 */
record Leftover(Transactions transactions) {
  /**
   * Rolls it back.
   *
   * @return what to say of the delivery; null if there is none
   */
  @Nullable Throwable check(String handler) {
    if (!transactions.isThreadInTransaction()) {
      return null;
    }
    PosthornException found =
        new PosthornException(
            "handler \"%s\" left a transaction open on its thread, which was rolled back; end it in a finally block, or by try-with-resources"
                .formatted(handler));
    try {
      transactions.abandon();
    } catch (RuntimeException | Error e) { // of a framework
      found.addSuppressed(e);
    }
    return found;
  }
}
