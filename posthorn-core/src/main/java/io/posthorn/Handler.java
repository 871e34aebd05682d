/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * Receives messages of some types, one at a time per key. Returning settles the message as
 * delivered; throwing fails the delivery, which is retried. It runs on a worker of the relay, in no
 * transaction, and may be called again for the same message after a fault.
 *
 * @param <P> what the payload is decoded to
 * @since 0.1
 */
@FunctionalInterface
public interface Handler<P> {
  /**
   * @param payload null if the message is a tombstone
   * @throws Exception any failure; its message is stored with the deferred message
   */
  void handle(@Nullable P payload, Delivery delivery) throws Exception;
}
