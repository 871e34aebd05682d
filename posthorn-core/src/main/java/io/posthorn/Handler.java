/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import org.jspecify.annotations.Nullable;

/**
 * Receives messages of some types, one at a time per key. Returning settles the message as
 * delivered; throwing fails the delivery, which is retried. It runs on a worker of the relay, in no
 * transaction unless {@link HandlerSpec#transactional} says so, and may be called again for the
 * same message after a fault.
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

  /**
   * A handler that says what is to become of the message, beside returning and throwing.
   *
   * @param <P> what the payload is decoded to
   */
  @FunctionalInterface
  interface Deciding<P> {
    /**
     * @param payload null if the message is a tombstone
     * @throws Exception any failure, as of a {@link Handler}
     */
    DeliveryResult handle(@Nullable P payload, Delivery delivery) throws Exception;
  }

  /**
   * Called in place of a handler when its attempts are used up or the failure is not to be retried.
   * Returning settles the message as delivered; throwing makes it a dead letter.
   *
   * @param <P> what the payload is decoded to
   */
  @FunctionalInterface
  interface Fallback<P> {
    /**
     * @param payload null if the message is a tombstone
     * @param cause what the last attempt threw
     * @throws Exception any failure; its message is stored with the dead letter
     */
    void handle(@Nullable P payload, Delivery delivery, Throwable cause) throws Exception;
  }

  /**
   * Asked after each failed delivery, before the retry policy.
   *
   * @param <P> what the payload is decoded to
   */
  @FunctionalInterface
  interface OnFailure<P> {
    /**
     * @param payload null if the message is a tombstone
     * @return what to do, or null to let the retry policy decide
     */
    @Nullable DeliveryResult decide(@Nullable P payload, Delivery delivery, Throwable cause);
  }
}
