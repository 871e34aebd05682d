/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message that has no answer yet. */
final class Pending {
  private final AmqpMessage message;
  private final long since;
  private final CompletableFuture<Void> answer = new CompletableFuture<>();

  /** Why it came back, if it did. */
  private @Nullable String returned; // thread of the connection only

  /** Whether the broker, and not this sender, has decided about it. */
  private volatile boolean judged;

  /** It was under way with others when something was wrong with one of them. */
  private volatile boolean suspect;

  /**
   * @param since a ticker's nanoseconds
   */
  Pending(AmqpMessage message, long since) {
    this.message = message;
    this.since = since;
  }

  AmqpMessage message() {
    return message;
  }

  CompletableFuture<Void> answer() {
    return answer;
  }

  /** Whether it was sent before this time. */
  boolean before(long nanos) {
    return nanos - since > 0;
  }

  boolean olderThan(long nanos, long now) {
    return now - since > nanos;
  }

  /** Whether it goes alone also to a proven exchange. */
  boolean goesAlone() {
    return suspect || message.isLarge();
  }

  void becomeSuspect() {
    suspect = true;
  }

  /** Whether this is the one that the broker has returned. */
  boolean matches(String exchange, String routingKey, @Nullable String messageId) {
    return returned == null
        && message.exchange().equals(exchange)
        && message.routingKey().equals(routingKey)
        && message.properties().getMessageId().equals(messageId);
  }

  void cameBack(String reason) {
    returned = reason;
  }

  /** The broker returns a message before it confirms it. */
  void confirm() {
    judged = true;
    if (returned == null) {
      answer.complete(null);
    } else {
      fail(SendFailure.returned(message, returned));
    }
  }

  void rejected() {
    judged = true;
    fail(SendFailure.notTaken(message));
  }

  boolean isJudged() {
    return judged;
  }

  void fail(Exception failure) {
    answer.completeExceptionally(failure);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the action throws nothing
  void whenAnswered(Runnable action) {
    answer.whenComplete((any, failure) -> action.run());
  }
}
