/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.util.UUID;
import java.util.function.Consumer;

/** Where the hand-written relay brings messages to. Called by its thread only. */
interface LimitSink extends AutoCloseable {

  void take(UUID id, Order order, byte[] payload);

  /** Returns when all that was taken has arrived. */
  default void flush() {}

  @Override
  default void close() {}

  /** Straight to a handler of the process. */
  static LimitSink to(Consumer<Order> handler) {
    return (id, order, payload) -> handler.accept(order);
  }
}
