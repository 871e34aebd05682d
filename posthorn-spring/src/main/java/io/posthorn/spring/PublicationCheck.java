/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Message;
import io.posthorn.OutboxMessage;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.springframework.core.ReactiveAdapterRegistry;

/** Finds what is wrong with the {@link OutboxPublish} annotations of a method, at start-up. */
final class PublicationCheck {
  private static final List<Class<?>> NOT_YET_THERE =
      List.of(Future.class, CompletionStage.class, Flow.Publisher.class, BaseStream.class);
  private static final String RESULT = "#result";

  private final Method method;
  private final Map<String, Class<?>> variables;
  private final String place;

  PublicationCheck(Method method) {
    PublishingMethod publishing = new PublishingMethod(method);
    this.method = method;
    this.variables = publishing.variables();
    this.place = "@OutboxPublish on " + publishing.place();
  }

  List<String> problems() {
    List<String> problems = new ArrayList<>();
    unreachable().ifPresent(problems::add);
    for (OutboxPublish annotation : PublishingMethod.annotationsOf(method)) {
      problems.addAll(problems(annotation));
    }
    return problems;
  }

  private Optional<String> unreachable() {
    int modifiers = method.getModifiers();
    return Stream.of(
            Modifier.isPrivate(modifiers) ? "private" : "",
            Modifier.isStatic(modifiers) ? "static" : "",
            Modifier.isFinal(modifiers) ? "final" : "")
        .filter(word -> !word.isEmpty())
        .findFirst()
        .map(
            word ->
                "%s has no effect: the method is %s, so no proxy sees its calls; make it a public method that is neither static nor final"
                    .formatted(place, word));
  }

  private List<String> problems(OutboxPublish annotation) {
    ExpressionProblems problems = new ExpressionProblems(place);
    problems.check("payload", annotation.payload(), new SpelCheck(MethodRoot.class, variables));
    Map<String, Class<?>> withPayload = new LinkedHashMap<>(variables);
    withPayload.put(Publication.PAYLOAD, payloadType(annotation));
    problems.checkKeyAndHeaders(
        annotation.key(), annotation.headers(), new SpelCheck(MethodRoot.class, withPayload));
    if (annotation.payload().equals(RESULT)) {
      checkResult(annotation, problems);
    }
    return problems.found();
  }

  /** Of what is known before the call; Object otherwise. */
  private Class<?> payloadType(OutboxPublish annotation) {
    Class<?> result = variables.getOrDefault("result", Object.class);
    return annotation.payload().equals(RESULT) && isOneMessage(result) ? result : Object.class;
  }

  private static boolean isOneMessage(Class<?> type) {
    return !Collection.class.isAssignableFrom(type)
        && (!type.isArray() || type.getComponentType().isPrimitive());
  }

  private void checkResult(OutboxPublish annotation, ExpressionProblems problems) {
    Class<?> type = method.getReturnType();
    if (type == void.class) {
      problems.add(
          "has nothing to publish: the method returns nothing; set payload = … to an expression over its parameters");
    } else if (isNotYetThere(type)) {
      problems.add(
          "cannot publish a %s: its content is not there when the method returns; return the content itself, or publish by the Outbox where it is made"
              .formatted(type.getName()));
    } else if (annotation.type().isEmpty() && neverHasType(type)) {
      problems.add(
          "has no type, and neither has %s; set type = …, or annotate the class with @OutboxMessage"
              .formatted(type.getName()));
    }
  }

  static boolean isNotYetThere(Class<?> type) {
    return NOT_YET_THERE.stream().anyMatch(kind -> kind.isAssignableFrom(type))
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
  }

  /** A class that is not final may have subclasses with a type. */
  private static boolean neverHasType(Class<?> type) {
    return Modifier.isFinal(type.getModifiers())
        && isOneMessage(type)
        && type != Optional.class
        && type != Message.class
        && !type.isAnnotationPresent(OutboxMessage.class);
  }
}
