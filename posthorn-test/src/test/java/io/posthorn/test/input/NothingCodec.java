/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import io.posthorn.spi.PayloadCodec;

/** Writes nothing at all. */
final class NothingCodec implements PayloadCodec {
  @Override
  public String contentType() {
    return "text/plain";
  }

  @Override
  public byte[] encode(Object payload) {
    return new byte[0];
  }

  @Override
  public <T> T decode(byte[] payload, Class<T> type) {
    throw new UnsupportedOperationException();
  }
}
