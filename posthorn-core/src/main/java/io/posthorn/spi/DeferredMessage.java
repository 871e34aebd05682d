/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A row of the deferred table: a message that waits for one handler.
 *
 * @param handler the name of the handler, or {@link #UNDECIDED}
 * @param inLane whether it stands in the lane of its key, so that later messages wait behind it
 * @param attempts deliveries tried so far
 * @param lastError what the last one said, or null
 * @param dueIn how long until it is due on the database's clock; zero or less: due
 * @param waited how long it has been in the deferred table on the database's clock; if it is {@link
 *     DeferReason#UNCLAIMED}, how long it has been that
 * @since 0.1
 */
public record DeferredMessage(
    StoredMessage message,
    String handler,
    boolean inLane,
    DeferReason reason,
    int attempts,
    @Nullable String lastError,
    Duration dueIn,
    Duration waited) {
  /**
   * In place of a handler's name: the message is delayed, or no live instance knew a handler for
   * its type when it was read.
   */
  public static final String UNDECIDED = "*";

  public DeferredMessage {
    requireNonNull(message, "message");
    requireNonNull(handler, "handler");
    requireNonNull(reason, "reason");
    requireNonNull(dueIn, "dueIn");
    requireNonNull(waited, "waited");
  }
}
