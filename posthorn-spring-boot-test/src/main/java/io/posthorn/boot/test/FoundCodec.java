/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.spi.PayloadCodec;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** The codec of applications without a bean for it: the first on the class path that works. */
final class FoundCodec implements Supplier<PayloadCodec> {
  @Override
  public PayloadCodec get() {
    Iterator<ServiceLoader.Provider<PayloadCodec>> providers =
        ServiceLoader.load(PayloadCodec.class).stream().iterator();
    IllegalStateException none =
        new IllegalStateException(
            "Payload not decoded: there is no PayloadCodec. Add Jackson, or ask for a String or byte[]");
    while (true) {
      try {
        if (!providers.hasNext()) {
          throw none;
        }
        return providers.next().get();
      } catch (ServiceConfigurationError | LinkageError e) {
        none.addSuppressed(e); // of a library that is not there
      }
    }
  }
}
