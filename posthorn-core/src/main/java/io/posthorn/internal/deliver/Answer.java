/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.DeliveryResult;
import io.posthorn.internal.policy.ErrorText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a delivery ended: with a result or a failure.
 *
 * @param payload what the handler got; null also if it could not be decoded
 */
record Answer<P>(
    @Nullable P payload, @Nullable DeliveryResult result, @Nullable Throwable failure) {
  static <P> Answer<P> of(@Nullable P payload, DeliveryResult result) {
    return new Answer<>(payload, result, null);
  }

  static <P> Answer<P> failed(@Nullable P payload, Throwable failure) {
    return new Answer<>(payload, null, failure);
  }

  /** Whether the handler is done with the message. */
  boolean done() {
    return result instanceof DeliveryResult.Delivered || result instanceof DeliveryResult.Ignored;
  }

  /** The same, of a delivery that was interrupted because it took too long. */
  Answer<P> overdue(Duration limit) {
    return failure == null || failure instanceof Invoker.Withheld
        ? this
        : failed(payload, new Overdue(limit, failure));
  }

  /** A delivery was interrupted because it took too long. */
  static final class Overdue extends Exception {
    private static final long serialVersionUID = 1L;

    Overdue(Duration limit, Throwable cause) {
      super(
          "the handler was interrupted after its time limit of "
              + limit
              + ": "
              + ErrorText.of(cause),
          cause);
    }
  }
}
