/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.PosthornException;

/**
 * Turns payload objects into bytes and back. Safe to share between threads. It decodes to the class
 * that the handler declares, never to one named in the data. What it throws must not contain the
 * payload.
 *
 * @since 0.1
 */
public interface PayloadCodec {
  /** The content type of what {@link #encode} makes. */
  String contentType();

  /**
   * @throws PosthornException if the object cannot be written
   */
  byte[] encode(Object payload);

  /**
   * @throws PosthornException if the bytes are not such an object
   */
  <T> T decode(byte[] payload, Class<T> type);
}
