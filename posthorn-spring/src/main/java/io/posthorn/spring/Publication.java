/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Message;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/** One {@link OutboxPublish}, parsed. Safe to share between threads. */
final class Publication {
  static final String PAYLOAD = "payload";

  private final String place;
  private final String type;
  private final String outbox;
  private final Expression payload;
  private final @Nullable Expression key;
  private final Map<String, Expression> headers = new LinkedHashMap<>();

  /**
   * @param annotation whose expressions are sound
   * @param place the method, for messages to people
   */
  Publication(OutboxPublish annotation, String place) {
    this.place = place;
    this.type = annotation.type();
    this.outbox = annotation.outbox();
    this.payload = SpelCheck.PARSER.parseExpression(annotation.payload());
    this.key =
        annotation.key().isEmpty() ? null : SpelCheck.PARSER.parseExpression(annotation.key());
    for (String text : annotation.headers()) {
      HeaderExpression header = HeaderExpression.of(text);
      headers.put(header.name(), SpelCheck.PARSER.parseExpression(header.expression()));
    }
  }

  String outbox() {
    return outbox;
  }

  /** What is to be published; the context is used up. */
  List<Message> messages(EvaluationContext context) {
    Object value = unwrapped(evaluate("payload", payload, context));
    List<Message> messages = new ArrayList<>();
    for (Object element : elements(value)) {
      context.setVariable(PAYLOAD, element);
      messages.add(message(element, context));
    }
    return messages;
  }

  private static Collection<?> elements(@Nullable Object value) {
    if (value == null) {
      return List.of();
    }
    Collection<?> elements =
        value instanceof Collection<?> collection
            ? collection
            : value instanceof Object[] array ? Arrays.asList(array) : List.of(value);
    return elements.stream().map(Publication::unwrapped).filter(Objects::nonNull).toList();
  }

  static @Nullable Object unwrapped(@Nullable Object value) {
    return value instanceof Optional<?> optional ? optional.orElse(null) : value;
  }

  private Message message(Object element, EvaluationContext context) {
    Message given =
        element instanceof Message message
            ? message
            : Message.of(typeOf(element)).payload(element).build();
    Message.Builder builder = given.toBuilder();
    if (key != null && given.key() == null) {
      builder.key(keyOf(key, context));
    }
    headers.forEach(
        (name, expression) -> {
          String value = given.headers().containsKey(name) ? null : header(expression, context);
          if (value != null) {
            builder.header(name, value);
          }
        });
    return builder.build();
  }

  private String typeOf(Object element) {
    if (!type.isEmpty()) {
      return type;
    }
    OutboxMessage annotation = element.getClass().getAnnotation(OutboxMessage.class);
    if (annotation == null) {
      throw new PublishException(
          "Message not published: @OutboxPublish on %s has no type, and neither has %s. Set type = …, or annotate the class with @OutboxMessage"
              .formatted(place, element.getClass().getName()));
    }
    return annotation.type();
  }

  private String keyOf(Expression expression, EvaluationContext context) {
    String text = text("key", expression, context);
    if (text == null) {
      throw refused(
          "key",
          expression,
          "yields null. Give every message a key, or leave key out if order does not matter",
          null);
    }
    return text;
  }

  private @Nullable String header(Expression expression, EvaluationContext context) {
    return text("header", expression, context);
  }

  private @Nullable String text(String what, Expression expression, EvaluationContext context) {
    Object value = evaluate(what, expression, context);
    try {
      return TextValue.of(value);
    } catch (IllegalArgumentException e) {
      throw refused(what, expression, "failed: " + e.getMessage(), e);
    }
  }

  private @Nullable Object evaluate(String what, Expression expression, EvaluationContext context) {
    try {
      return expression.getValue(context);
    } catch (EvaluationException e) {
      throw refused(what, expression, "failed: " + e.getMessage(), e);
    }
  }

  private PublishException refused(
      String what, Expression expression, String found, @Nullable RuntimeException cause) {
    return new PublishException(
        "Message not published: the %s expression \"%s\" in @OutboxPublish on %s %s"
            .formatted(what, expression.getExpressionString(), place, found),
        cause);
  }
}
