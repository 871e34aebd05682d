/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.PublishException;

/**
 * Finds the transaction that the caller is in. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Transactions {
  /**
   * The active transaction of the calling thread, on the outbox's data source.
   *
   * @throws PublishException if there is none; the message says what to do
   */
  Transaction current();
}
