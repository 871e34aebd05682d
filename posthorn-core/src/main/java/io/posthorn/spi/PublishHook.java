/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import io.posthorn.Message;
import io.posthorn.PublishException;
import java.util.List;

/**
 * Sees messages on their way into the outbox. Several hooks are called in the order of their
 * registration, on the publisher's thread. Safe to share between threads.
 *
 * <p>Each message that was published is told to one of {@link #afterCommit} and {@link
 * #afterRollback}; until then it is kept in memory. What these two throw is logged once a minute
 * and goes no further.
 *
 * @since 0.1
 */
public interface PublishHook {
  /**
   * Called before a message is checked and serialised.
   *
   * @return the message to publish, this one or one made from it by {@link Message#toBuilder}
   * @throws PublishException or any other, to veto: nothing of the call is published, and the
   *     caller gets the exception, as the cause of a {@link PublishException} unless it is one
   */
  default Message beforePublish(Message message) {
    return message;
  }

  /**
   * Messages were committed.
   *
   * @param messages those of one transaction, in the order of the calls, without those whose
   *     idempotency key was taken
   */
  default void afterCommit(List<Envelope> messages) {}

  /**
   * Messages were rolled back, with their transaction or to a savepoint. Called when the
   * transaction has ended.
   *
   * @param messages those of one transaction
   */
  default void afterRollback(List<Envelope> messages) {}
}
