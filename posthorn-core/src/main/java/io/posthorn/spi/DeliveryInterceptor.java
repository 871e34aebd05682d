/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Delivery;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands around every delivery to a handler: {@code before} in the order of registration, {@code
 * after} in the reverse order. Called on the worker that calls the handler; not called around
 * fallbacks, nor for payloads that cannot be decoded. Safe to share between threads.
 *
 * <p>Called with each message of a batch on its own: {@code before} for the first message to the
 * last, then the handler, then {@code after} for the last to the first. So calls on one thread
 * always nest, as scopes and other state of the thread need it.
 *
 * @since 0.1
 */
public interface DeliveryInterceptor {
  /**
   * The handler is about to be called.
   *
   * @throws Exception any reason to fail the delivery: the handler is not called, and it is as if
   *     the handler had thrown this
   */
  default void before(Delivery delivery) throws Exception {}

  /**
   * The handler has returned or thrown. Called if {@link #before} of this interceptor returned;
   * what it throws is logged once a minute and changes nothing.
   *
   * @param failure what the handler or the {@code before} of a later interceptor threw, or null
   */
  default void after(Delivery delivery, @Nullable Throwable failure) {}

  /**
   * The handler has returned, but the delivery goes on: a sender waits for the answer of its
   * broker. Called in place of {@link #after}, on the worker and in the same order, so that state
   * of the thread can be taken down.
   *
   * @return called when the delivery has ended, on any thread, with what it failed with or null; by
   *     default the delivery counts as ended now
   */
  default Consumer<@Nullable Throwable> suspend(Delivery delivery) {
    after(delivery, null);
    return failure -> {};
  }
}
