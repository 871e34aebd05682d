/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Admin.EntryId;
import io.posthorn.AdminAction;
import io.posthorn.Delivery;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Learns what a relay does, and what people do to messages. Called on the relay's threads unless a
 * method says else; what it throws is logged once a minute and goes no further.
 *
 * @since 0.1
 */
public interface RelayListener {
  /** A handler returned. The outcome is not stored yet. */
  default void delivered(Delivery delivery) {}

  /**
   * A handler threw, took too long, or could not be given its payload. What follows from that is
   * told by another method, if anything does: a destination that is down costs no attempt, and a
   * fallback or failure callback may still call it delivered.
   */
  default void failed(Delivery delivery, Throwable cause) {}

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

  /** One of a sender's destinations is unavailable: messages to it wait, others go on. */
  default void destinationUnavailable(String handler, String destination, Throwable cause) {}

  /** One of a sender's destinations is back. */
  default void destinationBack(String handler, String destination, Duration after) {}

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

  /**
   * A partition that came to this relay was not handed over by its last owner, which was expelled:
   * what that one had in hand is delivered again. Told after {@link #taken}.
   *
   * @param from may be an earlier life of this relay
   */
  default void recovered(int partition, RelayIdentity from) {}

  /** A partition was handed over. */
  default void released(int partition) {}

  /** This relay was found expelled; it joins again. */
  default void expelled(RelayIdentity identity) {}

  /**
   * An operator did something to messages, with the {@link io.posthorn.Admin} of this process.
   * Called on the operator's thread, after the commit of each batch; also in a process that only
   * publishes.
   *
   * @param entries those to which it was done; never empty
   */
  default void byHand(AdminAction.Kind action, Collection<EntryId> entries) {}
}
