/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Delivery;
import java.time.Duration;

/**
 * Learns what a relay does. Called on the relay's threads; what it throws is logged once a minute
 * and goes no further.
 *
 * @since 0.1
 */
public interface RelayListener {
  /** A handler returned. The outcome is not stored yet. */
  default void delivered(Delivery delivery) {}

  /** A delivery failed and will be tried again. */
  default void retrying(Delivery delivery, Throwable cause, Duration delay) {}

  /** A delivery failed for good. */
  default void dead(Delivery delivery, Throwable cause) {}

  /** A message was dropped because its expiry had passed. */
  default void expired(StoredMessage message) {}

  /** A handler, or its failure callback, dropped the message. */
  default void ignored(Delivery delivery) {}

  /** Outcomes were stored. */
  default void settled(int outcomes) {}

  /** Partitions came to this relay. */
  default void taken(PartitionOwner partition) {}

  /** A partition was handed over. */
  default void released(int partition) {}

  /** This relay was found expelled; it joins again. */
  default void expelled(RelayIdentity identity) {}
}
