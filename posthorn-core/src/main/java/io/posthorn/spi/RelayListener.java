/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Delivery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Learns what a relay does. Called on the relay's threads; what it throws is logged once a minute
 * and goes no further.
 *
 * @since 0.1
 */
public interface RelayListener {
  /** A handler returned. The outcome is not stored yet. */
  default void delivered(Delivery delivery) {}

  /** A handler, or its failure callback, dropped the message. */
  default void ignored(Delivery delivery) {}

  /**
   * A delivery will be tried again.
   *
   * @param cause what it failed with; null if the handler asked for it
   */
  default void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {}

  /** A dead letter was stored. */
  default void dead(StoredMessage message, String handler, Fate.Dead fate) {}

  /** The destination of a handler is down: its messages wait. */
  default void circuitOpened(String handler, Throwable cause) {}

  /** The destination of a handler is back. */
  default void circuitClosed(String handler, Duration after) {}

  /** A message was dropped because its expiry had passed. */
  default void expired(StoredMessage message) {}

  /** Outcomes were stored. */
  default void settled(int outcomes) {}

  /**
   * Rows were deleted because of their age, by the one relay whose turn it is.
   *
   * @param what {@code history}, for example
   */
  default void purged(String what, int rows) {}

  /** Partitions came to this relay. */
  default void taken(PartitionOwner partition) {}

  /** A partition was handed over. */
  default void released(int partition) {}

  /** This relay was found expelled; it joins again. */
  default void expelled(RelayIdentity identity) {}
}
