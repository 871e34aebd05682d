/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.DeliveryInterceptor;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Calls the interceptors around handlers. Safe to share between threads. */
final class Interceptors {
  private final List<DeliveryInterceptor> inOrder;
  private final FailureLog failures;

  Interceptors(List<DeliveryInterceptor> inOrder, FailureLog failures) {
    this.inOrder = List.copyOf(inOrder);
    this.failures = failures;
  }

  /** Calls a handler between them. */
  <T> T around(Delivery delivery, Callable<T> handler) throws Exception {
    if (inOrder.isEmpty()) {
      return handler.call();
    }
    Throwable failure = null;
    before(delivery);
    try {
      return handler.call();
    } catch (Throwable e) { // only passed by
      failure = e;
      throw e;
    } finally {
      after(delivery, failure);
    }
  }

  /** If one of them throws, those before it have had their {@code after} when this throws. */
  void before(Delivery delivery) throws Exception {
    for (int i = 0; i < inOrder.size(); i++) {
      try {
        inOrder.get(i).before(delivery);
      } catch (Throwable e) { // only passed by
        after(delivery, e, i);
        throw e;
      }
    }
  }

  void after(Delivery delivery, @Nullable Throwable failure) {
    after(delivery, failure, inOrder.size());
  }

  private void after(Delivery delivery, @Nullable Throwable failure, int begun) {
    for (int i = begun - 1; i >= 0; i--) {
      try {
        inOrder.get(i).after(delivery, failure);
      } catch (RuntimeException | Error e) { // the user's code
        failures.failed("interceptor " + inOrder.get(i).getClass().getName(), e);
      }
    }
  }
}
