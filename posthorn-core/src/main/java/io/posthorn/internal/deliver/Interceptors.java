/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.DeliveryInterceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
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

  /**
   * The delivery goes on after the handler has returned.
   *
   * @return called when it has ended
   */
  Consumer<@Nullable Throwable> suspend(Delivery delivery) {
    if (inOrder.isEmpty()) {
      return failure -> {};
    }
    List<Consumer<@Nullable Throwable>> suspended = new ArrayList<>(inOrder.size());
    for (int i = inOrder.size() - 1; i >= 0; i--) {
      DeliveryInterceptor interceptor = inOrder.get(i);
      guarded(interceptor, () -> suspended.add(interceptor.suspend(delivery)));
    }
    return failure -> suspended.forEach(one -> guarded(one, () -> one.accept(failure)));
  }

  private void guarded(Object interceptor, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("interceptor " + interceptor.getClass().getName(), e);
    }
  }

  private void after(Delivery delivery, @Nullable Throwable failure, int begun) {
    for (int i = begun - 1; i >= 0; i--) {
      DeliveryInterceptor interceptor = inOrder.get(i);
      guarded(interceptor, () -> interceptor.after(delivery, failure));
    }
  }
}
