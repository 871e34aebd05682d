/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Sends messages to a broker. Safe to share between threads. {@code SenderContract} in
 * posthorn-test checks an implementation.
 *
 * <p>Whoever made a sender closes it, after the relay was stopped.
 *
 * @since 0.1
 */
public interface Sender {
  /**
   * Hands one message to the broker, and returns without waiting for the answer: many are under way
   * at once. The relay never has two of one key under way in this sender, so that it need not keep
   * them in order.
   *
   * <p>It ends normally once the broker has confirmed that it keeps the message, and exceptionally
   * with
   *
   * <ul>
   *   <li>{@link io.posthorn.DestinationDownException} if the broker cannot be reached, or does not
   *       answer in time: no attempt is counted, and the relay tries again until it is back;
   *   <li>one that {@linkplain io.posthorn.DestinationDownException#of names the destination} if
   *       only that is unavailable: missing, closed to this user, or silent while others answer.
   *       Messages to it wait, without an attempt, and others go on;
   *   <li>{@link io.posthorn.RefusedException} if it will never take this message;
   *   <li>anything else if it did not take this message this time: an attempt is counted.
   * </ul>
   *
   * Throwing one of them is the same.
   *
   * @return what ends within the {@link #timeout}, on any thread
   */
  CompletionStage<?> send(Outgoing message);

  /**
   * How long a message may be under way. A few seconds later the relay takes its destination for
   * unavailable.
   */
  default Duration timeout() {
    return Duration.ofMinutes(2);
  }

  /** What the names of CloudEvents attributes begin with, if they are asked for. */
  default String cloudEventsPrefix() {
    return "ce_";
  }
}
