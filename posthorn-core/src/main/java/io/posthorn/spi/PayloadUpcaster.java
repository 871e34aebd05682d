/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import org.jspecify.annotations.Nullable;

/**
 * Brings a stored payload into the form that the handlers of today know. Called on a worker before
 * each decoding, for handlers of text and bytes too, but never for a tombstone. Safe to share
 * between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface PayloadUpcaster {
  /**
   * Must leave the envelope's own payload as it is; returning it says that there is nothing to do.
   * A {@link RuntimeException} means that the payload cannot be decoded; it must not contain the
   * payload.
   *
   * @param envelope with the type it is delivered as, and a payload that is not null
   * @return what is decoded in its place, or null: the handler gets no payload, as of a tombstone
   */
  byte @Nullable [] upcast(Envelope envelope);
}
