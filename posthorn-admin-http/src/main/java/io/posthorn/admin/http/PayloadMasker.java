/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import io.posthorn.spi.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of a payload is shown, beyond the names that are masked. Safe to share between
 * threads. If one throws, the payload is not shown.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface PayloadMasker {
  /**
   * @param message with its payload, which must not be changed
   * @param payload what would be shown: the payload, with the values of masked names replaced
   * @return what is shown instead; the same if nothing is to be masked; null to show nothing
   */
  byte @Nullable [] mask(Envelope message, byte[] payload);
}
