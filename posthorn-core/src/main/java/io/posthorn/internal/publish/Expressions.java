/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import io.posthorn.spi.MessageExpressions;
import org.jspecify.annotations.Nullable;

/** Gives messages the key and headers that the class of their payload asks for. */
final class Expressions {
  private final @Nullable MessageExpressions evaluator;

  /**
   * @param evaluator null if there is none; then classes with expressions are refused
   */
  Expressions(@Nullable MessageExpressions evaluator) {
    this.evaluator = evaluator;
  }

  /** The message with what its class adds; what it has already stays. */
  Message complete(Message message) {
    Object payload = message.payload();
    if (payload == null || payload instanceof byte[] || payload instanceof String) {
      return message;
    }
    OutboxMessage annotation = payload.getClass().getAnnotation(OutboxMessage.class);
    if (annotation == null || (annotation.key().isEmpty() && annotation.headers().length == 0)) {
      return message;
    }
    Message.Builder completed = message.toBuilder();
    if (!annotation.key().isEmpty() && message.key() == null) {
      completed.key(key(annotation.key(), payload));
    }
    for (String header : annotation.headers()) {
      complete(completed, message, header, payload);
    }
    return completed.build();
  }

  private String key(String expression, Object payload) {
    String key = evaluate("key", expression, payload);
    if (key == null) {
      throw refused(
          "key",
          expression,
          payload,
          "yields null. Give the object its key before it is published, or leave the key of the annotation out if order does not matter",
          null);
    }
    return key;
  }

  private void complete(Message.Builder completed, Message message, String header, Object payload) {
    int equals = header.indexOf('=');
    if (equals < 0) {
      throw refused("header", header, payload, "has no \"=\". Write name=expression", null);
    }
    String name = header.substring(0, equals).strip();
    if (!message.headers().containsKey(name)) {
      String value = evaluate("header", header.substring(equals + 1).strip(), payload);
      if (value != null) {
        completed.header(name, value);
      }
    }
  }

  private @Nullable String evaluate(String what, String expression, Object payload) {
    if (evaluator == null) {
      throw refused(
          what,
          expression,
          payload,
          "cannot be evaluated: this outbox has no evaluator. Set one by expressions(…) in the builder (posthorn-spring has SpelMessageExpressions), or take the expression out and publish a Message with the "
              + what,
          null);
    }
    try {
      return evaluator.evaluate(expression, payload);
    } catch (RuntimeException e) {
      throw refused(what, expression, payload, "failed: " + e.getMessage(), e);
    }
  }

  private static PublishException refused(
      String what,
      String expression,
      Object payload,
      String found,
      @Nullable RuntimeException cause) {
    return new PublishException(
        "Message not published: the %s expression \"%s\" in @OutboxMessage of %s %s"
            .formatted(what, expression, payload.getClass().getName(), found),
        cause);
  }
}
