/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

/**
 * Learns what becomes of received messages. Called on the threads that receive them; what it throws
 * is logged and goes no further.
 *
 * @since 0.1
 */
public interface InboxListener {
  /** Messages were handled for the first time, and that was committed. */
  default void consumed(String consumer, int messages) {}

  /** Messages had been handled before and were passed over. */
  default void duplicate(String consumer, int messages) {}

  /** Messages were not handled: the action failed, or its transaction was rolled back. */
  default void failed(String consumer, int messages) {}

  /** The cache knew messages as handled, which saved a look at the database. */
  default void cacheHit(String consumer, int messages) {}

  /** The cache did not know messages, or could not be asked. */
  default void cacheMiss(String consumer, int messages) {}

  /** Rows were deleted because of their age. */
  default void purged(int rows) {}
}
