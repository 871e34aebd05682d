/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.ConfigurationException;
import io.posthorn.OutboxMessage;
import io.posthorn.Posthorn;
import io.posthorn.spi.MessageExpressions;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Evaluates the expressions of {@link OutboxMessage} as SpEL, for {@link
 * Posthorn.Builder#expressions}. Safe to share between threads.
 *
 * <p>The payload is {@code #this} and {@code #root}, so that {@code #this.orderId} and {@code
 * orderId} are the same. Text, numbers, UUIDs, enums, booleans and times become text; other values
 * are refused. Each expression is parsed once per class.
 *
 * @since 0.1
 */
public final class SpelMessageExpressions implements MessageExpressions {
  private record Place(Class<?> payloadClass, String expression) {}

  private final Map<Place, Expression> parsed = new ConcurrentHashMap<>();
  private final StandardEvaluationContext context = new StandardEvaluationContext();

  @Override
  public @Nullable String evaluate(String expression, Object payload) {
    Expression ready =
        parsed.computeIfAbsent(
            new Place(payload.getClass(), expression), SpelMessageExpressions::parse);
    return TextValue.of(ready.getValue(context, payload));
  }

  private static Expression parse(Place place) {
    check(place.payloadClass)
        .flawOf(place.expression)
        .ifPresent(
            flaw -> {
              throw new IllegalArgumentException("it " + flaw);
            });
    return SpelCheck.PARSER.parseExpression(place.expression);
  }

  private static SpelCheck check(Class<?> payloadClass) {
    return new SpelCheck(payloadClass, Map.of());
  }

  /**
   * Looks at the expressions of classes that are known early, so that mistakes show at start-up and
   * not at the first message. Classes without the annotation are passed over.
   *
   * @throws ConfigurationException naming every class and expression that is wrong
   */
  public void check(Collection<? extends Class<?>> payloadClasses) {
    List<String> problems =
        payloadClasses.stream().distinct().flatMap(type -> problemsOf(type).stream()).toList();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  private static List<String> problemsOf(Class<?> payloadClass) {
    OutboxMessage annotation = payloadClass.getAnnotation(OutboxMessage.class);
    if (annotation == null) {
      return List.of();
    }
    ExpressionProblems problems =
        new ExpressionProblems("@OutboxMessage of " + payloadClass.getName());
    problems.checkKeyAndHeaders(annotation.key(), annotation.headers(), check(payloadClass));
    return problems.found();
  }
}
