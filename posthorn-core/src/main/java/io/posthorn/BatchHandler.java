/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

/**
 * Receives several messages in one call, those of one key in order. Returning settles them all as
 * delivered, except those marked by {@link Batch#fail}; throwing fails every item that was not
 * marked.
 *
 * @param <P> what the payloads are decoded to
 * @since 0.1
 */
@FunctionalInterface
public interface BatchHandler<P> {
  /**
   * @throws Exception any failure of the batch as a whole
   */
  void handle(Batch<P> batch) throws Exception;
}
