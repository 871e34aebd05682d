/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;

/** Writes a record of one text as that text. */
final class RecordCodec implements PayloadCodec {
  @Override
  public String contentType() {
    return "text/plain";
  }

  @Override
  public byte[] encode(Object payload) {
    try {
      Object text = payload.getClass().getRecordComponents()[0].getAccessor().invoke(payload);
      return text.toString().getBytes(StandardCharsets.UTF_8);
    } catch (ReflectiveOperationException e) {
      throw new PosthornException("not written", e);
    }
  }

  @Override
  public <T> T decode(byte[] payload, Class<T> type) {
    try {
      Constructor<T> constructor = type.getDeclaredConstructor(String.class);
      return constructor.newInstance(new String(payload, StandardCharsets.UTF_8));
    } catch (ReflectiveOperationException e) {
      throw new PosthornException("not read", e);
    }
  }
}
