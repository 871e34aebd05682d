/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.StoredMessage;
import java.time.Duration;

/**
 * When a read began and ended. How long its messages live was told by the database in between: with
 * a slow network, that may be long ago.
 */
record ReadTimes(long began, long ended) {
  /** Whether a message has expired by now. */
  boolean hasExpired(StoredMessage message, long now) {
    return message.expiresIn() != null && message.expiredAfter(Duration.ofNanos(now - ended));
  }

  /** Whether a message may have expired by now. */
  boolean mayHaveExpired(StoredMessage message, long now) {
    return message.expiresIn() != null && message.expiredAfter(Duration.ofNanos(now - began));
  }
}
