/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** Cannot decode the first payload that it gets. */
final class PickyCodec implements PayloadCodec {
  private final AtomicBoolean refused = new AtomicBoolean();

  /** What it decodes to. */
  record Order(int bytes) {}

  @Override
  public String contentType() {
    return "application/json";
  }

  @Override
  public byte[] encode(Object payload) {
    return payload.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public <T> T decode(byte[] payload, Class<T> type) {
    if (refused.compareAndSet(false, true)) {
      throw new PosthornException("not today");
    }
    return type.cast(new Order(payload.length));
  }
}
