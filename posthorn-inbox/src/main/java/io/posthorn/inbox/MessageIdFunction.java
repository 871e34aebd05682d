/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

/**
 * Finds the id of a message where the headers don't have one of its own: in its content, or in its
 * place. The same message must have the same id whenever it comes. Safe to share between threads.
 *
 * @param <M> a received message: a {@code ConsumerRecord}, for example
 * @since 0.1
 */
@FunctionalInterface
public interface MessageIdFunction<M> {
  /** An id of 1 to 255 characters. What it throws fails this message only. */
  String idOf(M message);
}
